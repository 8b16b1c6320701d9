/**
 * A holder of a lease that falls silent inside a transaction, which keeps the row of the lease locked: its
 * successor ends that transaction where it may, else the server does, both long before its idle limit.
 */

import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { test } from 'node:test'

import pg from 'pg'

import type { Database } from '../../src/store/engine/database.ts'
import { awaitLease, takeLease, underLease } from '../../src/store/lease.ts'
import { openStore } from '../../src/store/open.ts'
import { controlTables } from '../../src/store/schema/control.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'
import { besideOthersMs } from './disasters.ts'

void test('silent holder: replaced in time, by whoever may end sessions and by whoever may not', async () => {
  const store = await newDatabase()
  await Promise.all([
    replaced(store, { name: 'ended', as: undefined }),
    replaced(store, { name: 'left', as: 'without_rights' }),
  ])
})

async function replaced(
  store: string,
  { name, as }: { readonly name: string; readonly as: string | undefined },
): Promise<void> {
  const open = (url: string, owner: string): Promise<Database> =>
    openStore({ store: url, dataDir: '', owner }, name, controlTables, 'write')
  // Its successor has made the store, and is not who may end sessions of others.
  const second = await open(as === undefined ? store : await urlFor(store, as), `${name}-b`)
  const first = await open(store, `${name}-a`)
  try {
    const lease = await takeLease(first, `${name}-a`, systemClock)
    assert.ok(lease !== undefined)
    const locked = Promise.withResolvers<void>()
    const woken = Promise.withResolvers<void>()
    const stuck = underLease(first, { lease, clock: systemClock }, async () => {
      locked.resolve()
      await woken.promise
    })
    await locked.promise
    const sinceMs = performance.now()
    const next = await awaitLease(second, `${name}-b`, { clock: systemClock })
    const tookMs = Math.round(performance.now() - sinceMs)
    console.log(`${name}: the lease is its successor's after ${tookMs} ms`)
    assert.equal(next.epoch, lease.epoch + 1)
    assert.ok(tookMs < besideOthersMs, `took ${tookMs} ms`)
    woken.resolve()
    await assert.rejects(stuck)
  } finally {
    await first.close()
    await second.close()
  }
}

/** The database for a user who may make stores in it, and end no session of others. */
async function urlFor(store: string, user: string): Promise<string> {
  const url = new URL(store)
  const client = new pg.Client({ connectionString: store })
  await client.connect()
  await client.query(`create role ${user} login`)
  await client.query(`grant create on database "${url.pathname.slice(1)}" to ${user}`)
  await client.end()
  url.username = user
  return url.href
}
