/** Addresses that peers tell: those that come before their node is wanted, and how many are kept. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { emptyId } from '../../src/codec/primary/ids.ts'
import { AddressBook, parsePeer } from '../../src/peer/address-book.ts'
import { createIdentity } from '../../src/peer/identity.ts'
import { PeerPool } from '../../src/peer/pool.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { quickLimits, realWorld, stakerKeys, until } from '../support/nodes/warp-network.ts'
import { claimOf, startValidator } from '../support/nodes/warp-validator.ts'

const networkId = 12_345
const sign = { kind: 'sign' } as const

void test('addresses: validators that are wanted long after their addresses came are all connected', async (t) => {
  const others = await Promise.all(
    [0, 1, 2, 3, 4].map((at) => startValidator({ ...stakerKeys(at), behaviour: sign })),
  )
  const gossip = others.map(({ port }, at) => claimOf(stakerKeys(at), port))
  const informant = await startValidator({ ...stakerKeys(5), behaviour: sign, gossip })
  t.after(() => Promise.all([informant, ...others].map((one) => one.close())))
  let laterMs = 0
  const world = realWorld()
  const { clock } = world
  const pool = new PeerPool({
    world: { ...world, clock: { ...clock, monotonic: () => clock.monotonic() + laterMs } },
    log: silentLog,
    networkId,
    identity: createIdentity(world),
    nodePeers: undefined,
    limits: { ...quickLimits, silenceMs: 60_000, pingMs: 60_000 },
    configured: [parsePeer(`${informant.nodeId}@127.0.0.1:${informant.port}`)],
    bootstrappers: [],
    allowPrivateIps: true,
  })
  t.after(() => pool.close())
  pool.want([informant.nodeId], emptyId)
  await until(() => pool.status().connected === 1)
  laterMs = 5_000
  const nodeIds = others.map(({ nodeId }) => nodeId)
  pool.want(nodeIds, emptyId)
  await until(() => nodeIds.every((nodeId) => pool.session(nodeId) !== undefined))
})

void test('addresses: the book has a limit, but room for every wanted validator; an address it had no room for is new when it comes again', () => {
  const book = new AddressBook(true, 3)
  const hear = (at: number, wanted = false): boolean =>
    book.heard(claimOf(stakerKeys(at), 9_651), 1_700_000_000n, () => wanted)
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((at) => hear(at)),
    [true, true, true, false, false],
  )
  assert.equal(book.size, 3)
  assert.equal(hear(4, true), true)
  assert.equal(book.size, 4)
  assert.equal(book.trusted().length, 0, 'no stranger is dialled for who he names')
})
