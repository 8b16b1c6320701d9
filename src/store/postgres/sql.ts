/** Words for PostgreSQL: bulk statements over `unnest`, reading of values. */

import { Fault } from '../../core/fault.ts'
import { conflictClause, type OnConflict, updateNames } from '../engine/bulk-sql.ts'
import type { Lookup } from '../engine/database.ts'
import type { Table } from '../schema/table.ts'
import { arrayTypeOf } from './copy.ts'

/** `insert` of any number of rows, one array parameter per column. */
export function insertManySql(
  table: Table,
  names: readonly string[],
  conflict: OnConflict,
): string {
  const clause = conflictClause(table, names, conflict)
  return `insert into ${table.name} (${names.join(', ')}) select * from ${unnest(table, names)}${clause}`
}

/** `update` of any number of rows, one array parameter per name of {@link updateNames}. */
export function updateManySql(table: Table, names: readonly string[]): string {
  const all = updateNames(table, names)
  const sets = names.filter((name) => !table.key.includes(name))
  const set = sets.map((name) => `${name} = d.${name}`).join(', ')
  const where = table.key.map((name) => `t.${name} = d.${name}`).join(' and ')
  return `update ${table.name} as t set ${set} from ${unnest(table, all)} as d(${all.join(', ')}) where ${where}`
}

/** `delete` of any number of rows, one array parameter per key column. */
export function removeManySql(table: Table): string {
  const where = table.key.map((name) => `t.${name} = d.${name}`).join(' and ')
  return `delete from ${table.name} as t using ${unnest(table, table.key)} as d(${table.key.join(', ')}) where ${where}`
}

/** Columns of which a lookup's keys are, in their order. */
export function lookupNames({ key, last, isBounded }: Lookup): readonly string[] {
  return isBounded === true && last !== undefined ? [...key, last] : key
}

/**
 * `select` of one row per key tuple: whether there is one, then its columns. One array parameter
 * per key column.
 */
export function lookupManySql(lookup: Lookup): string {
  const { table, key, select, last, isBounded } = lookup
  const same = key.map((name) => `${name} = k.k_${name}`)
  if (isBounded === true) same.push(`${last} <= k.k_${last}`)
  const where = same.join(' and ')
  const order = last === undefined ? '' : ` order by ${last} desc`
  const names = lookupNames(lookup)
  const keys = names.map((name) => `k_${name}`).join(', ')
  const row = `select true as found, ${select.join(', ')} from ${table.name} where ${where}${order} limit 1`
  const columns = select.map((_, at) => `r.c${at}`).join(', ')
  const aliases = select.map((_, at) => `c${at}`).join(', ')
  return (
    `select r.found, ${columns} from ${unnest(table, names)} with ordinality as k(${keys}, k_order) ` +
    `left join lateral (${row}) as r(found, ${aliases}) on true order by k.k_order`
  )
}

function unnest(table: Table, names: readonly string[]): string {
  const arrays = names.map((name, at) => {
    const type = table.columns[name]
    if (type === undefined)
      throw new Fault('store-failed', `table ${table.name} has no column ${name}`)
    return `$${at + 1}::${arrayTypeOf(type)}`
  })
  return `unnest(${arrays.join(', ')})`
}

type Parse = (text: string) => unknown

/** Readers of values as the server sends them in text, by type number of `pg_type.dat`. */
function parsers(bigints: boolean): ReadonlyMap<number, Parse> {
  const integer: Parse = bigints ? BigInt : parseInteger
  return new Map<number, Parse>([
    [16, (text) => (text === 't' ? 1 : 0)], // bool: SQLite has none, its comparisons give 1 or 0.
    [17, parseBytes],
    [20, integer],
    [21, integer],
    [23, integer],
    [1700, integer], // numeric: what sum(bigint) gives.
    [701, Number],
  ])
}

const numberParsers = parsers(false)
const bigintParsers = parsers(true)

/** Readers for a query, in the form the driver takes. */
export function typesOf(bigints: boolean): { getTypeParser: (type: number) => Parse } {
  const known = bigints ? bigintParsers : numberParsers
  return { getTypeParser: (type) => known.get(type) ?? asText }
}

function asText(text: string): string {
  return text
}

function parseInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new Fault('store-failed', `integer is too large to be read as a number: ${text}`)
  return value
}

/** `\x` and hex digits: the server's `bytea_output` is set to hex on every connection. */
function parseBytes(text: string): Uint8Array {
  const bytes = Buffer.from(text.slice(2), 'hex')
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}
