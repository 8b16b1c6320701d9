/** The tables that a store has. */

import { type Database, statement } from '../engine/database.ts'

const inFile = statement("select name from sqlite_master where type = 'table'")
const inNamespace = statement('select tablename from pg_tables where schemaname = ?')

/** Names of the tables of a store. */
export async function tablesIn(database: Database): Promise<ReadonlySet<string>> {
  const rows =
    database.engine === 'sqlite'
      ? await database.all(inFile)
      : await database.all(inNamespace, [await namespaceIn(database)])
  return new Set(rows.map(([name]) => String(name)))
}

async function namespaceIn({ name }: Database): Promise<string> {
  // With its driver, which embedded stores never need.
  const { namespaceOf } = await import('../engine/postgres.ts')
  return namespaceOf(name)
}
