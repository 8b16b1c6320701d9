/**
 * Damage by disks and hands to a store, past the product: rows lost or changed with a database
 * tool, bits flipped in its file.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import pg from 'pg'

import { namespaceOf } from '../../../src/store/postgres/names.ts'
import { columnNames, type Table } from '../../../src/store/schema/table.ts'
import type { TestStore } from './stores.ts'

/** Flips one bit of a file, another one for each `seed`. */
export function flipBit(path: string, seed: number): void {
  const file = readFileSync(path)
  // Steps of a golden angle through the file, never twice at one place.
  const bit = Math.floor(((seed + 1) * 0.618_033_988_75 * file.length * 8) % (file.length * 8))
  file[bit >> 3] = (file[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  writeFileSync(path, file)
}

/** Statements that lose the first row of a table, and such that change each of its columns. */
export function changesOf(table: Table, engine: 'sqlite' | 'postgres'): string[][] {
  const keep = `create table spare as select * from ${table.name}`
  return alterationsOf(table, engine, 'spare').map((each) => [keep, each])
}

/**
 * Each alone, a statement that loses the first row of a table, and such that change each of its columns.
 * `from` is a table with the rows as they were.
 */
export function alterationsOf(
  table: Table,
  engine: 'sqlite' | 'postgres',
  from = table.name,
): string[] {
  const changed = Object.entries(table.columns)
    .filter(([name]) => table.sums?.without?.includes(name) !== true)
    .map(([name, type]) => {
      const value = otherValue(name, type, engine)
      return `update ${table.name} set ${name} = ${value} where ${isFirst(table, from)}`
    })
  return [`delete from ${table.name} where ${isFirst(table, from)}`, ...changed]
}

function otherValue(name: string, type: string, engine: 'sqlite' | 'postgres'): string {
  if (type.startsWith('text')) return `coalesce(${name}, '') || 'x'`
  if (!type.startsWith('bytes')) return `coalesce(${name}, 0) + 1000003`
  return engine === 'sqlite'
    ? `cast(coalesce(hex(${name}), '') || 'x' as blob)`
    : `coalesce(${name}, '') || '\\x01'::bytea`
}

/** Statements that put the table back as it was. */
export function mending(table: Table): string[] {
  const names = columnNames(table).join(', ')
  return [
    `delete from ${table.name}`,
    `insert into ${table.name} (${names}) select ${names} from spare`,
    'drop table spare',
  ]
}

function isFirst({ key }: Table, from: string): string {
  const names = key.join(', ')
  return `(${names}) = (select ${names} from ${from} order by ${names} limit 1)`
}

/** Runs statements past the product, as somebody with a database tool does. */
export function handOn(
  { engine, location }: Pick<TestStore, 'engine' | 'location'>,
  name: string,
): (sql: string) => Promise<void> {
  if (engine === 'sqlite')
    return async (sql) => {
      const file = new DatabaseSync(join(location.dataDir, `${name}.sqlite`))
      file.exec(sql)
      file.close()
    }
  return async (sql) => {
    const client = new pg.Client({
      connectionString: location.store,
      options: `-c search_path=${namespaceOf(name)}`,
    })
    await client.connect()
    await client.query(sql)
    await client.end()
  }
}
