import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readConfig } from '../config/read-config.ts'
import type { Config } from '../config/settings.ts'
import { chainSpecs, pluginChains } from './chain-specs.ts'

function configOf(text: string): Config {
  return readConfig({ flags: {}, environment: {}, file: { path: 'firn.yaml', text } }).config
}

void test('chains: one of another VM is not indexed as an EVM, unless its RPC is one', () => {
  const config = configOf(`
chains:
  - { name: C, rpcUrls: ["http://127.0.0.1:1/ext/bc/C/rpc"] }
  - { name: Xs, vmId: v3m4wPxaHpvGr8qfMeyK6PRW3idZrPHmYcMTt7oXdK47yurVH, rpcUrls: ["http://127.0.0.1:1/ext/bc/x"], blockchainId: "0x${'01'.repeat(32)}" }
  - { name: Own EVM, vmId: v3m4wPxaHpvGr8qfMeyK6PRW3idZrPHmYcMTt7oXdK47yurVH, rpcUrls: ["http://127.0.0.1:1/ext/bc/y/rpc"] }
`)
  assert.deepEqual(
    chainSpecs(config).map(({ spec }) => spec.key),
    ['fuji-c', 'fuji-own-evm'],
  )
  assert.deepEqual(
    pluginChains(config).map(({ name }) => name),
    ['Xs'],
  )
})

void test('chains: two of one name are refused, since they would share a store', () => {
  const config = configOf(
    `chains: [{ name: A, rpcUrls: ["http://x"] }, { name: a, rpcUrls: ["http://y"] }]`,
  )
  assert.throws(() => chainSpecs(config), /two chains have one name/)
})
