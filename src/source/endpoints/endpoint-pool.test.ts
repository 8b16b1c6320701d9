import assert from 'node:assert/strict'
import { test } from 'node:test'

import { virtualClock } from '../../../test/support/processes/virtual-clock.ts'
import { Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { silentLog } from '../../telemetry/log.ts'
import { EndpointPool } from './endpoint-pool.ts'

const { signal } = new AbortController()
const traces = { height: -1, capability: 'traces' } as const
const noMatter = new Fault('not-served', 'nothing is served here')
const identity = { chainId: 7, genesisHash: '0x00', nodeVersion: 'test' }

/** A pool of `names`, each of which takes so many requests, half of them traces. */
function poolOf(maxInFlight: number, ...names: readonly string[]): EndpointPool {
  const refused = (): Promise<never> => Promise.reject(noMatter)
  return new EndpointPool({
    world: {
      clock: virtualClock(),
      random: { number: () => 0.5, bytes: (size) => new Uint8Array(size) },
      transport: { request: refused },
      files: { read: refused, write: refused, list: refused, remove: refused },
    },
    log: silentLog,
    urls: names.map((name) => `http://${name}/`),
    maxInFlight,
    expected: {},
    identify: async () => identity,
  })
}

/** Takes all the room for traces that an endpoint has; gives it back on demand. */
function busy(pool: EndpointPool, name: string, others: readonly string[]): () => void {
  const held = Promise.withResolvers<void>()
  const { size } = itemAt(
    pool.endpoints.filter((endpoint) => endpoint.name === name),
    0,
  ).traces
  for (let times = 0; times < size; times++)
    void pool.run({ ...traces, otherThan: others }, () => held.promise, signal)
  return held.resolve
}

void test('endpoints: one that is busy is waited for where the other is not wanted', async () => {
  const pool = poolOf(4, 'first', 'second')
  const [first = '', second = ''] = pool.endpoints.map(({ name }) => name)
  const release = busy(pool, second, [first])
  let used = ''
  const comparison = pool.run(
    { ...traces, otherThan: [first] },
    async ({ name }) => void (used = name),
    signal,
  )
  // The first has room, and would answer at once.
  await pool.run(traces, async ({ name }) => assert.equal(name, first), signal)
  assert.equal(used, '')
  release()
  await comparison
  assert.equal(used, second)
})

void test('endpoints: one that cannot be used is not waited for', async () => {
  const pool = poolOf(4, 'first', 'second')
  const [first = '', second = ''] = pool.endpoints.map(({ name }) => name)
  pool.doubt(second, 'answered something else')
  const used = await pool.run({ ...traces, otherThan: [first] }, async ({ name }) => name, signal)
  assert.equal(used, first)
})

void test('endpoints: traces fill half of one at most, and leave room for blocks', async () => {
  const pool = poolOf(4, 'only')
  const [name = ''] = pool.endpoints.map((endpoint) => endpoint.name)
  const release = busy(pool, name, [])
  assert.equal(pool.window('traces'), 2)
  assert.equal(await pool.run({ height: -1 }, async () => 'blocks', signal), 'blocks')
  assert.equal(pool.endpoints[0]?.status(0).inFlight, 2)
  release()
  await pool.run(traces, async () => undefined, signal)
})
