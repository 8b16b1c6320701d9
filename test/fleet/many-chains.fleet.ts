/** Many chains on one PostgreSQL: all are live in every process, within the connections that are promised. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { atEnd } from '../support/processes/firn-process.ts'
import { startPostgres } from '../support/stores/postgres.ts'
import { manyChains } from './many-chains.ts'

/** `soak/fleet.ts` has a hundred; the connections of a process do not grow with its chains. */
const size = { chains: 16, index: 2, serve: 1 }
const mostConnections = 30

void test('fleet: many chains are shared, live and served over few connections', async (t) => {
  const server = await startPostgres('any', ['max_connections=100'])
  atEnd(t, () => server.stop())
  const { connections, shares, liveMs } = await manyChains(t, server.url, size)
  console.log(`${connections} connections, ${shares.join(' and ')} chains, live after ${liveMs} ms`)
  assert.ok(connections <= mostConnections, `${connections} connections`)
  assert.deepEqual(shares, [size.chains / 2, size.chains / 2])
})
