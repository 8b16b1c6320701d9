import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'

import type { NodeChain } from '../../src/admin/aliases/alias-rules.ts'
import type { RawReply, RawRequest } from './exchange.ts'
import { freshFolder, startHarness } from './harness.ts'

type Pair = { name: string; request: RawRequest; reply: RawReply }
type Vectors = { chainId: string; pairs: Pair[] }

const file = new URL('../../vectors/admin/avalanchego.json', import.meta.url)
const vectors: Vectors = JSON.parse(readFileSync(file, 'utf8'))

const chain = (id: string, names: string[], kind: 'evm' | 'plain'): NodeChain => ({
  id,
  names,
  network: 'fuji',
  otherNames: [],
  kind,
  rpcUrls: ['http://node.invalid/rpc'],
  isLive: () => true,
})

// The X-Chain's id is in no recorded answer; any id no request names will do.
const chains = [
  chain('11111111111111111111111111111111LpoYY', ['P', 'platform'], 'plain'),
  chain('2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM', ['X', 'avm'], 'plain'),
  chain(vectors.chainId, ['C', 'evm'], 'evm'),
]

// What the C-Chain behind the recorded node said.
const rpcReply = vectors.pairs.find(({ name }) => name === 'chain alias route')?.reply.body ?? ''

const { folder, remove } = await freshFolder()
const harness = await startHarness({
  folder,
  chains: () => chains,
  loggers: ['C', 'P', 'X', 'vm-factory'],
  settings: { adminCompat: 'avalanchego' },
  transport: {
    request: async () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: new TextEncoder().encode(rpcReply),
    }),
  },
})
after(async () => {
  await harness.close()
  await remove()
})

const parseError = '"error":{"code":-32700,'

void test('node listener: answers a recorded node, byte for byte', async () => {
  assert.ok(vectors.pairs.length >= 240)
  for (const { name, request, reply } of vectors.pairs) {
    const ours = await harness.send(request)
    const shown = { status: ours.status, headers: {} as Record<string, string>, body: ours.body }
    // We say `nosniff` always, the original sometimes.
    for (const key of Object.keys(reply.headers)) shown.headers[key] = ours.headers[key] ?? ''
    // Its parser's own words are not ours, and it does not look at what follows a value.
    if (reply.body.includes(parseError) || name === 'trailing text') {
      assert.equal(ours.status, reply.status, name)
      assert.ok(ours.body.includes(parseError), `${name}: ${ours.body}`)
      continue
    }
    assert.deepEqual({ name, ...shown }, { name, ...reply })
    assert.equal(ours.headers['content-type'] ?? '', reply.headers['content-type'] ?? '', name)
  }
})
