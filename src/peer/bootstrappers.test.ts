import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { ipText } from '../codec/warp/peer-address.ts'
import { bootstrappersOf } from './bootstrappers.ts'

const vectors: Record<'mainnet' | 'fuji', { id: string; ip: string }[]> = JSON.parse(
  readFileSync(new URL('../../vectors/warp/bootstrappers.json', import.meta.url), 'utf8'),
)

void test('bootstrap nodes: those of the public networks, none of private ones', () => {
  const shown = (networkId: number): unknown =>
    bootstrappersOf(networkId).map(({ nodeId, ip, port }) => {
      return { id: nodeId, ip: `${ipText(ip)}:${port}` }
    })
  assert.deepEqual(shown(1), vectors.mainnet)
  assert.deepEqual(shown(5), vectors.fuji)
  assert.deepEqual(shown(12_345), [])
})
