/** Blocks of P and X from peers: whole, in order, only true ones, and with whoever lies beside. */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { lies, openSource, readAll, startPeers, truthOf } from './hostile-peers.ts'

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

void test('peers: of all but one that tell another history nothing is taken', async () => {
  const few = await startPeers(truth, 5, Math.random)
  few.lies.fill('alternative', 1)
  const opened = openSource(truth, few)
  const signal = AbortSignal.timeout(4_000)
  assert.equal(await readAll(opened.source, 'P', truth, signal), 'silent')
  await opened.close()
  await few.close()
})
