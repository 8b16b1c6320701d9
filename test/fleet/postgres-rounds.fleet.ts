/** One round of every disaster of a deployment on PostgreSQL; `soak/fleet.ts` makes more, and on Citus. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startPostgres } from '../support/stores/postgres.ts'
import { besideOthersMs, networkDisasters, processDisasters, serverDisasters } from './disasters.ts'
import { round } from './rounds.ts'

void test('fleet: processes and servers that break cost no row and little time', async (t) => {
  const server = await startPostgres()
  t.after(() => server.stop())
  const disasters = [...processDisasters, ...networkDisasters, ...serverDisasters(server)]
  const struck = await round(t, server.url, { disasters, limitMs: besideOthersMs })
  assert.deepEqual(
    struck.flatMap(({ kind, wrong }) => wrong.map((each) => `${kind}: ${each}`)),
    [],
  )
})
