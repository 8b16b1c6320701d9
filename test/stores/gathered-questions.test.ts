/** Queries of many stores on one server that come at the same moment. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { countStatements } from '../../bench/statement-count.ts'
import { type Database, statement } from '../../src/store/engine/database.ts'
import { leaseRow, takeLease } from '../../src/store/lease.ts'
import { openStore } from '../../src/store/open.ts'
import { controlTables } from '../../src/store/schema/control.ts'
import { atEnd } from '../support/processes/firn-process.ts'
import { virtualClock } from '../support/processes/virtual-clock.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'

const ownerOf = statement('select owner from lease where epoch = ?', { together: true })

void test('gathered questions: leases of many stores are one statement, each with its own answer', async (t) => {
  const counted = await countStatements(await newDatabase())
  atEnd(t, counted.close)
  const location = { store: counted.url, dataDir: '' }
  const stores: Database[] = []
  atEnd(t, async () => void (await Promise.all(stores.map((store) => store.close()))))
  for (let at = 0; at < 20; at++)
    stores.push(await openStore(location, `store-${at}`, controlTables, 'write'))
  const holders = stores.slice(0, 15)
  for (const [at, store] of holders.entries()) await takeLease(store, `owner ${at}`, virtualClock())

  /** Owners of all leases, in the order of their stores, and the statements that they took. */
  const owners = async (): Promise<readonly [(string | undefined)[], number]> => {
    const before = counted.statements()
    const rows = await Promise.all(stores.map((store) => leaseRow(store)))
    return [rows.map((row) => row?.owner), counted.statements() - before]
  }
  const expected = stores.map((_, at) => (at < 15 ? `owner ${at}` : undefined))
  const [found, taken] = await owners()
  assert.deepEqual(found, expected)
  // The pulse of the connections may fall between.
  assert.ok(taken <= 2, `${taken} statements`)

  const rows = await Promise.all(
    stores.map(async (store, at) => store.get(ownerOf, [at % 2 === 0 ? 1 : 2])),
  )
  assert.deepEqual(
    rows.map((row) => row?.[0]),
    expected.map((owner, at) => (at % 2 === 0 ? owner : undefined)),
    'each has its own parameters',
  )

  const [first] = stores
  await first?.transaction((writer) => writer.run(statement('drop table lease')))
  const answers = await Promise.allSettled(stores.map((store) => leaseRow(store)))
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value?.owner : 'failed')),
    ['failed', ...expected.slice(1)],
    'a store without the table fails alone',
  )
})
