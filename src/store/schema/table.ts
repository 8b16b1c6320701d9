/**
 * Tables as declarations, from which both engines make their DDL and bulk statements.
 *
 * One schema for both: SQLite keeps one file per store, PostgreSQL one schema (namespace) per
 * store, so that the same statements run on either.
 */

import { assert } from '../../core/fault.ts'

/**
 * Column types. `integer` fits a double exactly, `amount` is an unsigned 63-bit integer read as
 * a bigint, `bytes` and `text` are what they say. A question mark allows NULL.
 */
export type ColumnType =
  | 'integer'
  | 'integer?'
  | 'amount'
  | 'amount?'
  | 'bytes'
  | 'bytes?'
  | 'text'
  | 'text?'

/** A secondary index; `where` is a partial-index condition valid in both engines. */
export type Index = {
  readonly name: string
  readonly columns: readonly string[]
  readonly unique?: boolean
  readonly where?: string
}

/**
 * Sums of a table, see `store/sums`.
 *
 * - `by`: its rows fall into ranges of `size` values of `column`; all are one range without it
 * - `without`: columns that may change past the sums, because a wrong value heals by itself
 * - `later`: columns that came by a migration: NULL in them counts for nothing, so that the sums of older rows hold
 */
export type Sums = {
  readonly by?: { readonly column: string; readonly size: number }
  readonly without?: readonly string[]
  readonly later?: readonly string[]
}

/**
 * One table.
 *
 * - `layout` `rows`: wide rows in insertion order under one integer key (rowid table);
 *   `keyed`: short rows that are their key (WITHOUT ROWID), for access paths.
 */
export type Table = {
  readonly name: string
  readonly columns: Readonly<Record<string, ColumnType>>
  readonly key: readonly string[]
  readonly layout: 'rows' | 'keyed'
  readonly indexes: readonly Index[]
  /** Absent: nothing guards its rows. */
  readonly sums?: Sums
  /**
   * Its rows are history, which segments hold below the height to which a store is frozen; the last
   * column of its key says where in history a row is.
   *
   * - `whole`: each row is in one place
   * - `running`: its amounts count from the first height of the tables, or of the segment, that a row is
   *   in (`store/history/over-segments.ts`)
   * - `first-rows`: its last column, behind the key, is the first height of a key. Tables and each segment
   *   have a row for every key that they name, and the oldest counts
   */
  readonly freezes?: 'whole' | 'running' | 'first-rows'
  /** Of a table that freezes: who writes its rows; absent, those are {@link HistoryStage} `blocks`. */
  readonly stage?: HistoryStage
}

/**
 * Stages of a chain whose rows are history, named as their checkpoints. Each has its own segments,
 * since traces are stored later than their blocks, and logs in a store of their own.
 */
export const historyStages = ['blocks', 'traces', 'logs'] as const
/** One of {@link historyStages}. */
export type HistoryStage = (typeof historyStages)[number]

/** Values that `make` gives for each stage. */
export function byStage<T>(make: (stage: HistoryStage) => T): Readonly<Record<HistoryStage, T>> {
  return { blocks: make('blocks'), traces: make('traces'), logs: make('logs') }
}

/** A {@link Table} whose name, columns and key the compiler knows, and whether it freezes. */
export type TableOf<N, C, K, F> = Omit<Table, 'name' | 'columns' | 'key' | 'freezes'> & {
  readonly name: N
  readonly columns: C
  readonly key: K
} & F

/** A table of wide rows. Key: one integer column, or any columns when `keyed`. */
export function table<
  const N extends string,
  const C extends Readonly<Record<string, ColumnType>>,
  const K extends readonly (keyof C & string)[],
  const F extends Pick<Table, 'freezes'>,
>(
  name: N,
  columns: C,
  shape: F & { readonly key: K } & Pick<Table, 'layout' | 'sums' | 'stage'> &
    Partial<Pick<Table, 'indexes'>>,
): TableOf<N, C, K, F> {
  return { indexes: [], ...shape, name, columns }
}

/** Ranges of `size` values of `column`, for {@link Table.sums}. */
export function sumsBy(column: string, size: number, without: readonly string[] = []): Sums {
  return { by: { column, size }, without }
}

/** Type of the column `name`, which the table must have. */
export function typeOf({ name: table, columns }: Table, name: string): ColumnType {
  const type = columns[name]
  assert(type !== undefined, `table ${table} has a column ${name}`)
  return type
}

/** The stage of a table that freezes; `undefined` of another one. */
export function stageOf({ freezes, stage = 'blocks' }: Table): HistoryStage | undefined {
  return freezes === undefined ? undefined : stage
}

/** Column names in order. */
export function columnNames(of: Table): string[] {
  return Object.keys(of.columns)
}

/** Names of columns by fields of ours. */
export type Fields = Readonly<Record<string, string>>

/** Values that `make` gives for the column of each field, by field. */
export function byField<const F extends Fields, T>(
  fields: F,
  make: (column: string) => T,
): { readonly [Name in keyof F]: T } {
  const entries = Object.entries(fields).map(([name, column]) => [name, make(column)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry for each field
  return Object.fromEntries(entries) as { readonly [Name in keyof F]: T }
}

/** Values that `make` gives for each field, by column. */
export function byColumn<const F extends Fields, T>(
  fields: F,
  make: (name: keyof F & string, column: string) => T,
): { readonly [Name in keyof F as F[Name]]: T } {
  const entries = Object.entries(fields).map(([name, column]) => [column, make(name, column)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry for each field
  return Object.fromEntries(entries) as { readonly [Name in keyof F as F[Name]]: T }
}
