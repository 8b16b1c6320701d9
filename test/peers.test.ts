/** Blocks of P and X from peers: whole, in order, only true ones, and with whoever lies beside. */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'

import { encodePeerMessage } from '../src/codec/warp/peer-message.ts'
import { parsePeer } from '../src/peer/address-book.ts'
import { createIdentity } from '../src/peer/identity.ts'
import { defaultPeerLimits } from '../src/peer/limits.ts'
import { PeerPool } from '../src/peer/pool.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { lies, openSource, readAll, startPeers, truthOf } from './hostile-peers.ts'
import { realWorld, stakerKeys } from './warp-network.ts'
import { startValidator } from './warp-validator.ts'

const truth = truthOf('local-one')
let draws = 0
const network = await startPeers(truth, 6, () => (Math.sin(++draws) + 1) / 2.001)
after(network.close)

/** Both chains read from the peers as they are now. */
async function read(withinMs: number): Promise<readonly string[]> {
  const opened = openSource(truth, network)
  const signal = AbortSignal.timeout(withinMs)
  try {
    return await Promise.all([
      readAll(opened.source, 'P', truth, signal),
      readAll(opened.source, 'X', truth, signal),
    ])
  } finally {
    await opened.close()
  }
}

void test('peers: all blocks of both chains, with their proposers', async () => {
  assert.deepEqual(await read(60_000), ['live', 'live'])
})

for (const name of Object.keys(lies)) {
  void test(`peers: one that lies among honest ones is passed over: ${name}`, async () => {
    network.lies.fill(undefined)
    network.lies[1] = name
    assert.deepEqual(await read(60_000), ['live', 'live'])
  })
}

void test('peers: much that was asked for at once ends no connection', async (t) => {
  const networkId = 12_345
  const world = realWorld()
  const items = [world.random.bytes(2_000_000)]
  const peer = await startValidator({
    ...stakerKeys(0),
    networkId,
    behaviour: { kind: 'sign' },
    blocks: ({ chainId, requestId }, { send }) => {
      const message = encodePeerMessage({ kind: 'ancestors', chainId, requestId, items })
      send({ kind: 'compressed', bytes: zstdCompressSync(message) })
    },
  })
  t.after(peer.close)
  const pool = new PeerPool({
    world,
    log: silentLog,
    networkId,
    identity: createIdentity(world),
    nodePeers: undefined,
    limits: { ...defaultPeerLimits, bytesPerSecond: 2 ** 20 },
    configured: [parsePeer(`${peer.nodeId}@127.0.0.1:${peer.port}`)],
    bootstrappers: [],
    allowPrivateIps: true,
  })
  t.after(() => pool.close())
  const ready = Promise.withResolvers<void>()
  pool.watch(ready.resolve)
  pool.want([peer.nodeId], new Uint8Array(32))
  await ready.promise
  const session = pool.session(peer.nodeId)
  assert.ok(session !== undefined)
  const question = { kind: 'get-ancestors', ids: [new Uint8Array(32)] } as const
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => session.askBlocks(new Uint8Array(32), question)),
  )
  assert.deepEqual(
    answers.map((answer) => answer?.length),
    answers.map(() => 1),
  )
})
