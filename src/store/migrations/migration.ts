/**
 * A change of stored tables, from one layout to the next.
 *
 * It says what the tables were before; both engines' statements follow from that, and so does the form of history
 * files that older versions wrote. They run in one transaction of a store and rewrite no row, so that a store of any
 * size is changed in a moment: a new column is NULL in the rows of before. Whatever must be computed of stored rows
 * gets tables of its own, which a stage of indexing fills from the first height on.
 */

import { assert } from '../../core/fault.ts'
import {
  baseType,
  indexDdl,
  postgresDdl,
  postgresTypes,
  sqliteDdl,
  sqliteTypes,
} from '../engine/ddl.ts'
import { columnNames, type Index, type Table, typeOf } from '../schema/table.ts'

/** A step from the layout before to `layout`. */
export type Migration = {
  readonly layout: number
  /** For operators: what a store has after it that it had not before. */
  readonly gives: string
  /**
   * Tables that it changes or removes, as they were. What it adds to them stands last among the columns, may be NULL,
   * and is one of `sums.later` where the table is summed. An index that came since is made.
   */
  readonly before: readonly Table[]
  /** New tables, each made in the stores that have the table `beside`. */
  readonly makes: readonly { readonly table: string; readonly beside: string }[]
  /** Tables whose rows leave for files from then on: who looks into the table alone would answer without them. */
  readonly freezes?: readonly string[]
}

/** Layout of the oldest stores that are read, those of version 1.0.0. */
export const firstLayout = 4

/** The newest layout that `migrations`, in their order, lead to. */
export function newestLayout(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.layout ?? firstLayout
}

/** The tables of `layout`, from those of the newest one. */
export function tablesAt(
  tables: readonly Table[],
  migrations: readonly Migration[],
  layout: number,
): readonly Table[] {
  let found = tables
  for (const { before, makes } of migrations.filter((each) => each.layout > layout).toReversed()) {
    const changed = new Map(before.map((table) => [table.name, table]))
    const made = new Set(makes.map(({ table }) => table))
    const kept = found.filter(({ name }) => !made.has(name))
    const names = new Set(kept.map(({ name }) => name))
    const removed = before.filter(({ name }) => !names.has(name))
    found = [...kept.map((table) => changed.get(table.name) ?? table), ...removed]
  }
  return found
}

/** A change that a migration makes. */
export type Change =
  | { readonly does: 'makes'; readonly table: Table; readonly beside: string }
  | { readonly does: 'adds' | 'removes'; readonly table: Table; readonly column: string }
  | { readonly does: 'indexes'; readonly table: Table; readonly index: Index }
  | { readonly does: 'drops' | 'freezes'; readonly table: Table }

/** The changes of one of `migrations`, which lead to the newest `tables`. */
export function changesOf(
  { layout, before, makes, freezes = [] }: Migration,
  tables: readonly Table[],
  migrations: readonly Migration[],
): readonly Change[] {
  const after = new Map(
    tablesAt(tables, migrations, layout).map((table) => [table.name, table] as const),
  )
  const named = (name: string): Table => {
    const table = after.get(name)
    assert(table !== undefined, `there is a table ${name}`)
    return table
  }
  const made = makes.map(({ table: name, beside }): Change => {
    return { does: 'makes', table: named(name), beside }
  })
  const frozen = freezes.map((name): Change => ({ does: 'freezes', table: named(name) }))
  const changed = before.flatMap((old): readonly Change[] => {
    const table = after.get(old.name)
    if (table === undefined) return [{ does: 'drops', table: old }]
    const added = columnNames(table).filter((column) => old.columns[column] === undefined)
    const gone = columnNames(old).filter((column) => table.columns[column] === undefined)
    const known = new Set(old.indexes.map(({ name }) => name))
    const indexes = table.indexes.filter(({ name }) => !known.has(name))
    return [
      ...added.map((column): Change => ({ does: 'adds', table, column })),
      ...indexes.map((index): Change => ({ does: 'indexes', table, index })),
      ...gone.map((column): Change => ({ does: 'removes', table: old, column })),
    ]
  })
  return [...made, ...changed, ...frozen]
}

/** Statements of an engine for a change, in a store that has the table which it concerns. */
export function statementsOf(change: Change, engine: 'sqlite' | 'postgres'): readonly string[] {
  const { name } = change.table
  switch (change.does) {
    case 'makes':
      return engine === 'sqlite' ? sqliteDdl(change.table) : postgresDdl(change.table)
    case 'adds': {
      const types = engine === 'sqlite' ? sqliteTypes : postgresTypes
      const type = types[baseType(typeOf(change.table, change.column))]
      return [`alter table ${name} add column ${change.column} ${type}`]
    }
    case 'indexes':
      return [indexDdl(change.table, change.index)]
    case 'removes':
      return [`alter table ${name} drop column ${change.column}`]
    case 'drops':
      return [`drop table ${name}`]
    case 'freezes':
      return []
  }
}

/** The table that a store must have for a change to concern it. */
export function concerned(change: Change): string {
  return change.does === 'makes' ? change.beside : change.table.name
}
