/** Tables of another program where a store is to be: refused, and left as they are. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import pg from 'pg'

import { Fault } from '../../src/core/fault.ts'
import { namespaceOf } from '../../src/store/postgres/names.ts'
import { controlTables } from '../../src/store/schema/control.ts'
import { onBothEngines, type TestStore } from '../support/stores/stores.ts'

onBothEngines(
  'store: of another program is refused in one sentence',
  [...controlTables],
  async (store) => {
    await atStore(store, async (run, at) => run(`create table ${at}notes (pos bigint)`))
    await assert.rejects(store.open('write'), (error) => {
      assert.ok(error instanceof Fault)
      assert.equal(error.code, 'store-version')
      assert.match(error.message, /^[^\n]*(is not a store of this product: |not made by Firn; )/)
      return true
    })
    await atStore(store, async (run, at) => run(`select pos from ${at}notes`))
  },
)

/** Gives `work` a connection that knows nothing of Firn, and what stands before names of tables. */
async function atStore(
  { engine, location, name }: TestStore,
  work: (run: (sql: string) => unknown, at: string) => Promise<unknown>,
): Promise<void> {
  if (engine === 'sqlite') {
    const file = new DatabaseSync(join(location.dataDir, `${name}.sqlite`))
    await work((sql) => file.exec(sql), '')
    file.close()
    return
  }
  const client = new pg.Client({ connectionString: location.store })
  await client.connect()
  const namespace = namespaceOf(name)
  await client.query(`create schema if not exists ${namespace}`)
  await work((sql) => client.query(sql), `${namespace}.`)
  await client.end()
}
