/** Words of the bulk writes that both engines share, in SQLite's form with `?` per value. */

import { Fault } from '../../core/fault.ts'
import type { Columns, Lookup } from './database.ts'
import type { Table } from './table.ts'

/** How rows whose key exists already are met. */
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

/** `insert` of one row, a question mark per column. */
export function insertSql(table: Table, names: readonly string[], conflict: OnConflict): string {
  const marks = names.map(() => '?').join(', ')
  return `insert into ${table.name} (${names.join(', ')}) values (${marks})${conflictClause(table, names, conflict)}`
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

/** `select` of the row for one key tuple. */
export function lookupSql(lookup: Lookup): string {
  const where = lookup.key.map((name) => `${name} = ?`).join(' and ')
  const order = lookup.last === undefined ? '' : ` order by ${lookup.last} desc`
  return `select ${lookup.select.join(', ')} from ${lookup.table.name} where ${where}${order} limit 1`
}

/** Names of `columns` and their common length. Faults: unknown names, no key, unequal lengths. */
export function shapeOf(table: Table, columns: Columns): { names: string[]; count: number } {
  const names = Object.keys(columns)
  let count = -1
  for (const name of names) {
    if (table.columns[name] === undefined)
      throw new Fault('store-failed', `table ${table.name} has no column ${name}`)
    const length = columns[name]?.length ?? 0
    if (count !== -1 && count !== length)
      throw new Fault('store-failed', `columns of ${table.name} differ in length: ${name}`)
    count = length
  }
  for (const name of table.key)
    if (columns[name] === undefined)
      throw new Fault('store-failed', `rows of ${table.name} lack their key column ${name}`)
  return { names, count: Math.max(count, 0) }
}
