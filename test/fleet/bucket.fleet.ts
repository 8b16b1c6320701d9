/** One round of every disaster of a deployment whose history lies in a bucket that does harm; `soak/fleet.ts` makes more. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startStorage } from '../support/stores/object-storage.ts'
import { startPostgres } from '../support/stores/postgres.ts'
import { networkDisasters, processDisasters, serverDisasters } from './disasters.ts'
import { besideHarm } from './harmed-storage.ts'
import { round } from './rounds.ts'

void test('fleet: a bucket that does harm while others break costs no row and no file', async (t) => {
  const server = await startPostgres()
  t.after(() => server.stop())
  const storage = await startStorage()
  t.after(storage.close)
  const disasters = [...processDisasters, ...networkDisasters, ...serverDisasters(server)]
  const struck = await round(t, server.url, {
    disasters: besideHarm(storage, disasters, 0),
    limitMs: Number.POSITIVE_INFINITY,
    size: { hosts: 2, chains: 2, storage },
  })
  assert.deepEqual(
    struck.flatMap(({ kind, wrong }) => wrong.map((each) => `${kind}: ${each}`)),
    [],
  )
})
