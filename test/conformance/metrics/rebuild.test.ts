import assert from 'node:assert/strict'
import { test } from 'node:test'

import { recountRollup } from '../../../src/rollup/rebuild.ts'
import { statement, type Database } from '../../../src/store/engine/database.ts'
import { metricsTables } from '../../../src/store/schema/metrics.ts'
import { columnNames } from '../../../src/store/schema/table.ts'
import { openDemoChain } from '../../support/stores/demo-store.ts'

async function rowsOf(database: Database): Promise<unknown[]> {
  const tables: unknown[] = []
  for (const table of metricsTables) {
    const select = `select ${columnNames(table).join(', ')} from ${table.name} order by ${table.key.join(', ')}`
    tables.push([table.name, await database.all(statement(select, { over: 'tables' }))])
  }
  tables.push(await database.all(statement("select value from meta where name = 'rollup'")))
  return tables
}

void test('rebuild: counting the stored chain again gives the same rows', async () => {
  for (const chainId of [51001, 51002] as const) {
    const chain = await openDemoChain(chainId, {})
    try {
      const before = await rowsOf(chain.served.store)
      const last = chainId === 51001 ? 402 : 152
      await chain.served.store.transaction((writer) =>
        recountRollup(writer, { first: 0, blocks: last, traces: last }),
      )
      assert.deepEqual(await rowsOf(chain.served.store), before, String(chainId))
    } finally {
      await chain.close()
    }
  }
})
