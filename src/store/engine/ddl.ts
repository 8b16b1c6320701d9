/** Table declarations as `create` statements of either engine. */

import { type ColumnType, type Index, type Table } from '../schema/table.ts'

type Types = Readonly<Record<'integer' | 'amount' | 'bytes' | 'text', string>>

/** Types of columns in SQLite. */
export const sqliteTypes: Types = {
  integer: 'integer',
  amount: 'integer',
  bytes: 'blob',
  text: 'text',
}

/** Types of columns in PostgreSQL; collation "C" orders text by its bytes, as SQLite does. */
export const postgresTypes: Types = {
  integer: 'bigint',
  amount: 'bigint',
  bytes: 'bytea',
  text: 'text collate "C"',
}

/** Kind of a column without its question mark. */
export function baseType(type: ColumnType): keyof Types {
  switch (type) {
    case 'integer':
    case 'integer?':
      return 'integer'
    case 'amount':
    case 'amount?':
      return 'amount'
    case 'bytes':
    case 'bytes?':
      return 'bytes'
    case 'text':
    case 'text?':
      return 'text'
  }
}

/** Statements that make `of` and its indexes in SQLite where they are missing. */
export function sqliteDdl(of: Table): string[] {
  const single = of.layout === 'rows' ? soleIntegerKey(of) : undefined
  const columns = columnLines(of, sqliteTypes, single)
  if (single === undefined) columns.push(`primary key (${of.key.join(', ')})`)
  const options = of.layout === 'keyed' ? 'strict, without rowid' : 'strict'
  return [
    `create table if not exists ${of.name} (${columns.join(', ')}) ${options}`,
    ...of.indexes.map((index) => indexDdl(of, index)),
  ]
}

/** Statements that make `of` and its indexes in PostgreSQL where they are missing. */
export function postgresDdl(of: Table): string[] {
  const columns = columnLines(of, postgresTypes, undefined)
  columns.push(`primary key (${of.key.join(', ')})`)
  return [
    `create table if not exists ${of.name} (${columns.join(', ')})`,
    ...of.indexes.map((index) => indexDdl(of, index)),
  ]
}

/** Declarations of tables and their indexes in SQLite, by name: what tells two layouts apart. */
export function declaredTables(
  tables: readonly Table[],
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(tables.map((table) => [table.name, sqliteDdl(table)]))
}

/** The column that is the row id, when the key is one integer. */
function soleIntegerKey(of: Table): string | undefined {
  const [first, second] = of.key
  return first !== undefined && second === undefined && of.columns[first] === 'integer'
    ? first
    : undefined
}

function columnLines(of: Table, types: Types, rowId: string | undefined): string[] {
  return Object.entries(of.columns).map(([name, type]) => {
    if (name === rowId) return `${name} integer primary key`
    return `${name} ${types[baseType(type)]}${type.endsWith('?') ? '' : ' not null'}`
  })
}

/** Statement that makes an index where it is missing, in either engine. */
export function indexDdl(of: Table, index: Index): string {
  const unique = index.unique === true ? 'unique index' : 'index'
  const where = index.where === undefined ? '' : ` where ${index.where}`
  return `create ${unique} if not exists ${index.name} on ${of.name} (${index.columns.join(', ')})${where}`
}
