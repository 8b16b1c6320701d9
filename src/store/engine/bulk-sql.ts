/** Words of the bulk writes that both engines share, in SQLite's form with `?` per value. */

import { Fault } from '../../core/fault.ts'
import type { Table } from '../schema/table.ts'
import { type Columns, type Lookup, columnOf } from './database.ts'

/** Treatment of rows whose key exists already. */
export type OnConflict = 'fault' | 'keep' | 'replace'

/** Tail of an insert into `names` of `table` that meets existing keys as `conflict` says. */
export function conflictClause(
  table: Table,
  names: readonly string[],
  conflict: OnConflict,
): string {
  if (conflict === 'fault') return ''
  const changed = names.filter((name) => !table.key.includes(name))
  if (conflict === 'keep' || changed.length === 0) return ' on conflict do nothing'
  const sets = changed.map((name) => `${name} = excluded.${name}`).join(', ')
  return ` on conflict (${table.key.join(', ')}) do update set ${sets}`
}

/** `insert` of `count` rows at once, a question mark per value, row by row. */
export function insertSql(
  table: Table,
  names: readonly string[],
  rows: { readonly conflict: OnConflict; readonly count: number },
): string {
  const values = valuesOf(names.length, rows.count)
  return `insert into ${table.name} (${names.join(', ')}) ${values}${conflictClause(table, names, rows.conflict)}`
}

/** Columns an `update` sets, then those it finds the row by. */
export function updateNames(table: Table, names: readonly string[]): readonly string[] {
  return [...names.filter((name) => !table.key.includes(name)), ...table.key]
}

/** `update` of one row: values of {@link updateNames} in their order. */
export function updateSql(table: Table, names: readonly string[]): string {
  const sets = names.filter((name) => !table.key.includes(name)).map((name) => `${name} = ?`)
  const keys = table.key.map((name) => `${name} = ?`)
  return `update ${table.name} set ${sets.join(', ')} where ${keys.join(' and ')}`
}

/** `delete` of `count` rows at once, by their whole key, row by row. */
export function removeSql(table: Table, count: number): string {
  return `delete from ${table.name} where (${table.key.join(', ')}) in (${valuesOf(table.key.length, count)})`
}

/** `delete` of all rows. */
export function clearSql(table: Table): string {
  return `delete from ${table.name}`
}

/**
 * `select` of the rows for `count` key tuples at once: for each, its number among them (given
 * before its key) and the row's columns; a tuple without a row gives nothing.
 */
export function lookupSql({ table, key, select, last, isBounded }: Lookup, count: number): string {
  const names = ['n', ...key.map((_, at) => `k${at}`), ...(isBounded === true ? ['most'] : [])]
  const keyed = `with k(${names.join(', ')}) as (${valuesOf(names.length, count)})`
  const found = key.map((name, at) => `t.${name} = k.k${at}`)
  if (last !== undefined) {
    const same = key.map((name, at) => `l.${name} = k.k${at}`).join(' and ')
    const bound = isBounded === true ? ` and l.${last} <= k.most` : ''
    found.push(`t.${last} = (select max(l.${last}) from ${table.name} l where ${same}${bound})`)
  }
  const columns = select.map((name) => `t.${name}`).join(', ')
  return `${keyed} select k.n, ${columns} from k cross join ${table.name} t on ${found.join(' and ')}`
}

/** As {@link lookupSql}, of one key, which is most of what is asked: no table of keys is made. */
export function lookupOneSql({ table, key, select, last, isBounded }: Lookup): string {
  const bound = isBounded === true && last !== undefined ? [`${last} <= ?`] : []
  const found = [...key.map((name) => `${name} = ?`), ...bound].join(' and ')
  const order = last === undefined ? '' : ` order by ${last} desc`
  return `select ${select.join(', ')} from ${table.name} where ${found}${order} limit 1`
}

function valuesOf(width: number, count: number): string {
  const row = `(${Array.from({ length: width }, () => '?').join(', ')})`
  return `values ${Array.from({ length: count }, () => row).join(', ')}`
}

/** Names of `columns` and their common length. Faults: unknown names, no key, unequal lengths. */
export function shapeOf(table: Table, columns: Columns): { names: string[]; count: number } {
  const names = Object.keys(columns)
  let count = -1
  for (const name of names) {
    if (table.columns[name] === undefined)
      throw new Fault('store-failed', `table ${table.name} has no column ${name}`)
    const { length } = columnOf(columns, name)
    if (count !== -1 && count !== length)
      throw new Fault('store-failed', `columns of ${table.name} differ in length: ${name}`)
    count = length
  }
  for (const name of table.key)
    if (columns[name] === undefined)
      throw new Fault('store-failed', `rows of ${table.name} lack their key column ${name}`)
  return { names, count: Math.max(count, 0) }
}
