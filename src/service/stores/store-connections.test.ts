import assert from 'node:assert/strict'
import { test } from 'node:test'

import { openWorld } from '../../world/world.ts'
import { shareConnections, type SharedStores, storesOf } from './store-connections.ts'

void test('connections: what the threads have together is the setting, and each that reads has one', () => {
  for (const role of ['all', 'index', 'serve'] as const)
    for (const total of [8, 9, 10, 25, 1_000]) {
      const { main, decoder, writer } = shareConnections(role, total)
      const marks = role === 'serve' ? 1 : 2
      const sum = [main, decoder, writer].reduce(
        (all, { read, write }) => all + read + write,
        marks,
      )
      assert.equal(sum, total, `${role} ${total}`)
      const reading = role === 'serve' ? [main] : [main, decoder, writer]
      assert.ok(
        reading.every(({ read }) => read >= 1),
        `${role} ${total}`,
      )
    }
})

const settings = {
  role: 'serve',
  store: 'postgres://db/firn',
  stores: {},
  dataDir: '',
  'index.freeze': 'auto',
  'index.freezeRows': 400_000,
  'index.store': '',
  'index.cacheBytes': 1_048_576,
  'index.fileBytes': 1_048_576,
  'index.leaseSeconds': 3,
  'api.workers': 4,
  'api.handlerTimeoutMs': 10_000,
  'postgres.replicas': [],
} as const
const clock = { now: () => 0, monotonic: () => 0, sleep: async () => {} }
const random = { bytes: (size: number) => new Uint8Array(size), number: () => 0 }
const world = { ...openWorld(), random, clock }

void test('connections: threads that answer share those of the main thread; too few are refused', async () => {
  const sharesOf = async (connections: number) =>
    (await storesOf({ ...settings, 'postgres.connections': connections }, world)).shares
  const { main } = await sharesOf(25)
  assert.ok(4 * (main.read + main.write) + 1 <= 25, JSON.stringify(main))
  await assert.rejects(sharesOf(12), /postgres.connections must be at least 13 for 4 api.workers/)
  assert.equal((await sharesOf(13)).main.read, 1)
})

void test('stores: history freezes by itself where readers have the folder of segments, elsewhere where that is set', async () => {
  const freezes = async (more: Partial<SharedStores>): Promise<boolean> => {
    const config = { ...settings, 'api.workers': 1, 'postgres.connections': 25, ...more }
    const { location } = await storesOf(config, world)
    return location.freeze !== undefined
  }
  const never = { 'index.freeze': 'false' } as const
  assert.equal(await freezes({ store: 'embedded' }), true)
  assert.equal(await freezes({ store: 'embedded', ...never }), false)
  assert.equal(await freezes({ role: 'all' }), false)
  assert.equal(await freezes({ role: 'index' }), false)
  assert.equal(await freezes({ role: 'index', 'index.store': '/history' }), true)
  assert.equal(await freezes({ role: 'serve', 'index.freeze': 'true' }), true)
  const alone = freezes({ role: 'index', 'index.freeze': 'true' })
  await assert.rejects(alone, /index\.freeze needs index\.store beside PostgreSQL/)
})
