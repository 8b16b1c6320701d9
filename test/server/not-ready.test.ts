/** A configured chain that no node has identified yet is 503 with Retry-After, in every operation. */

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { listOf, objectOf } from '../../src/codec/evm/raw.ts'
import { freshFolder, startFirn } from '../support/processes/firn-process.ts'

const address = '0x4052175bd09f56f1fcb65d13ff1d0f4c83a8ee5c'

/** A good value of each path parameter, so that only the chain can be what is wrong. */
const samples: Readonly<Record<string, string>> = {
  chainId: '51001',
  network: 'fuji',
  blockchainId: 'p-chain',
  address,
  contractAddress: address,
  txHash: `0x${'11'.repeat(32)}`,
  blockId: '1',
  tokenId: '1',
  collectionAddress: address,
}

/** Further parameters without which a request is wrong before its chain is looked at. */
const queries: Readonly<Record<string, string>> = {
  addresses: 'fuji1ur873jhz9qnaqv5qthk5sn3e8nj3e0kmafyxut',
  chainId: '51001',
}

/** What the bodies of operations require. */
const body = { addresses: queries['addresses'], calls: [{ abi: {} }] }

void test('a chain not reached yet: every operation that takes it answers 503 with Retry-After', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  // Nobody listens on port 1.
  await writeFile(
    config,
    `
networks:
  fuji: { nodeUrl: 'http://127.0.0.1:1', primary: true }
chains:
  - { name: Late Chain, rpcUrls: ['http://127.0.0.1:1/ext/bc/C/rpc'] }
`,
  )
  const firn = await startFirn(t, ['--config', config, '--data-dir', join(folder, 'data')])
  const { paths } = await firn.get('/openapi.json')
  let checked = 0
  for (const [path, item] of Object.entries(objectOf(paths, 'paths'))) {
    // Signatures wait for a node of their own: warp-opening.test.ts.
    if (!/\{(chainId|network)\}/.test(path) || path.includes('signatureAggregator')) continue
    // These check their parameters before the chain.
    if (path.startsWith('/v2/verify/') || path.endsWith('/api')) continue
    for (const [method, described] of Object.entries(objectOf(item, path))) {
      const { status, retryAfter, words } = await askFor(firn.apiUrl, { path, method, described })
      const title = `${method} ${path}: ${words}`
      // Wallets and tools read the reason in the form of their own protocol.
      if (/\/(?:rpc|api)$/.test(path)) {
        assert.match(words, /not ready/, title)
        continue
      }
      assert.equal(status, 503, title)
      assert.ok(Number(retryAfter) > 0, title)
      checked++
    }
  }
  assert.ok(checked > 40, `operations: ${checked}`)
  const other = await fetch(`${firn.apiUrl}/v1/networks/mainnet/blockchains/p-chain/transactions`)
  assert.equal(other.status, 404, 'a network that is not configured')
  const named = await fetch(`${firn.apiUrl}/v1/chains/nonsense/blocks`)
  assert.equal(named.status, 404, 'what is no id and no alias')
})

/** Asks with good values for all that is required. */
async function askFor(
  apiUrl: string,
  of: { readonly path: string; readonly method: string; readonly described: unknown },
): Promise<{
  readonly status: number
  readonly retryAfter: string | null
  readonly words: string
}> {
  const { parameters } = objectOf(of.described, of.path)
  const query = new URLSearchParams()
  const names = new Map<string, string>()
  for (const one of listOf(parameters, 'parameters')) {
    const parameter = objectOf(one, 'parameter')
    const name = String(parameter['name'])
    const options = objectOf(parameter['schema'], 'schema')['enum']
    const value = samples[name] ?? (Array.isArray(options) ? String(options[0]) : 'nodeId')
    if (parameter['in'] === 'path') names.set(name, name === 'nodeId' ? nodeId : value)
    else if (queries[name] !== undefined) query.set(name, queries[name])
  }
  const path = of.path.replace(/\{(\w+)\}/g, (_, name: string) => names.get(name) ?? '')
  const isPost = of.method === 'post'
  const reply = await fetch(`${apiUrl}${path}?${query.toString()}`, {
    method: of.method.toUpperCase(),
    ...(isPost ? { headers: { 'content-type': 'application/json' } } : {}),
    ...(isPost ? { body: JSON.stringify(body) } : {}),
  })
  return {
    status: reply.status,
    retryAfter: reply.headers.get('retry-after'),
    words: await reply.text(),
  }
}

const nodeId = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
