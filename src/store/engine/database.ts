/**
 * Interface of a store engine. Two exist: SQLite in this process, PostgreSQL beside it.
 *
 * Questions (`store/query`) and stages speak to this interface only; neither knows which engine
 * answers. SQLite answers at once, PostgreSQL later: callers `await` either.
 */

import { assert } from '../../core/fault.ts'
import type { HistoryStage, Table } from '../schema/table.ts'
import { ByteColumn } from './byte-column.ts'
import type { HistoryTable, SelectedRow, ValueIn } from './selected-row.ts'

/** A stored value. Integers are numbers up to 2^53; `amount` columns are bigints. */
export type Value = number | bigint | string | Uint8Array | null

/** One row, values in the order selected. */
export type Row = readonly Value[]

/** An answer that is there already, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/**
 * How the answers of the tables and of the files of frozen history (`store/history`), each of which has
 * its own heights, become one answer.
 *
 * - `newest`: rows come newest first; what has newer rows is read first, until the limit is reached
 * - `oldest`: rows come oldest first
 * - `merge`: rows are ordered by their first column, and each value of it is wanted once
 * - `sum`: one row of numbers, each of which is the sum of all
 * - `tables`: only the tables are read; those named in it have no frozen rows, or these are not
 *   wanted
 */
export type Over = 'newest' | 'oldest' | 'merge' | 'sum' | 'tables'

/**
 * Where the rows of an answer lie: indexes of two parameters (from inclusive, until exclusive), or
 * of one for a single place.
 */
export type Within = { readonly pos: readonly number[] } | { readonly height: readonly number[] }

/**
 * Kinds of keys by which history is found, and their parts.
 *
 * - `address`: of any list; `transactions`: of the list of its transactions; `transfers`: of that of its transfers of a standard,
 *   the second part
 * - `token`: of its transfers; `holders`: of who may hold it
 * - `pair`: an address and a token
 * - `hash`: the first 48 bits; of logs the key of a topic
 */
export type KeyKind =
  | 'address'
  | 'transactions'
  | 'transfers'
  | 'token'
  | 'holders'
  | 'pair'
  | 'hash'

/** Facts about a question of history that its words do not say. */
export type HistoryScope = {
  readonly over?: Over | undefined
  /** Files of other heights are not read; absent, all are until the answer is complete. */
  readonly within?: Within | undefined
  /** The stage whose history it is; by default `blocks`. */
  readonly stage?: HistoryStage | undefined
  /** Indexes of the parameters whose rows alone are wanted: files that have none of the key need not be read. */
  readonly key?: { readonly of: KeyKind; readonly at: readonly number[] } | undefined
  /**
   * Of `merge`, with a `key`, where all rows are of balances and holders: indexes of the parameters that are the last height
   * whose rows are wanted, and of the one behind which the first column begins. The directory of history has these rows, too.
   */
  readonly sums?: { readonly lastAt: readonly number[]; readonly afterAt: number } | undefined
  /**
   * Of `sums`: words for the same columns, asked in its place of the directory, with the parameters behind the first ones that
   * they `skip`. It has amounts at the end of its heights; where an earlier one is wanted they are looked up by the pair.
   */
  readonly atEnd?: { readonly sqlite: string; readonly skip: number } | undefined
  /**
   * Of `merge`: index of the parameter that says how far the first column is read. It is lowered to the last row of a full
   * answer, so that a file gives no rows that others have before it.
   */
  readonly upTo?: number | undefined
  /** Of `merge`: column of an amount, its sign behind it. A value of the first column has the sum of all its amounts. */
  readonly amountAt?: number | undefined
}

/**
 * A question. `?` marks a parameter; engines number them as they need.
 *
 * `postgres` differs only where the engines have no common words. `bigints` makes every integer
 * of the answer a bigint (for `amount` columns).
 */
export type Statement<R extends Row = Row> = HistoryScope & {
  /** Rows of its answer; it has no value. */
  readonly '~row'?: R
  readonly sqlite: string
  readonly postgres: string
  readonly bigints: boolean
  /** Its last parameter is the number of rows wanted. */
  readonly isLimited: boolean
  /** It changes rows of a summed table, but only what is not summed: see `Table.sums`. */
  readonly unsummed?: boolean
  /**
   * It gives one row, and is asked of many stores again and again: those of a server that are asked at the same moment
   * are one statement there.
   */
  readonly together?: boolean
}

/** A row of the answer of a statement. */
export type AnswerRow<S extends Statement> = NonNullable<S['~row']>

type StatementOptions = HistoryScope & {
  readonly bigints?: boolean
  readonly postgres?: string
  readonly unsummed?: boolean
  readonly together?: boolean
}

type Word = 'from' | 'join'
/** `true` for a text that names a table of history. */
export type NamesHistory<Text extends string> = Text extends
  | `${string}${Word} ${HistoryTable}`
  | `${string}${Word} ${HistoryTable}${' ' | '\n' | ')' | ','}${string}`
  ? true
  : false
/**
 * Whatever names a table of history says over what it is read; so does a text that the compiler
 * does not know. Only the rows of such a text may have bigints: those of others have the types of their columns.
 */
export type OptionsOf<Text extends string, Options> = string extends Text
  ? [options: Options & { readonly over: Over | undefined }]
  : NamesHistory<Text> extends true
    ? [options: Options & { readonly over: Over; readonly bigints?: never }]
    : [options?: Options & { readonly bigints?: never }]

/** A statement whose words are the same in both engines. */
export function statement<const Text extends string>(
  text: Text,
  ...[options = {}]: OptionsOf<Text, StatementOptions>
): Statement<SelectedRow<Text>> {
  const { bigints = false, postgres = text, ...scope } = options
  const isLimited = text.endsWith('limit ?')
  return { ...scope, sqlite: text, postgres, bigints, isLimited }
}

/** A column of values for bulk writing, all columns of one call equally long. */
export type Column = ArrayLike<Value> | ByteColumn

/** Value of a row of a column. */
export function valueAt(column: Column, row: number): Value {
  if (column instanceof ByteColumn) return column.at(row)
  const value = column[row]
  assert(value !== undefined, 'a column has a value for every row')
  return value
}

/** Values by column name. */
export type Columns = Readonly<Record<string, Column>>

/** Values of every column of a table, those that may be NULL too: one that is left out does not compile. */
export type ColumnsOf<T extends Table> = { readonly [Name in keyof T['columns']]: Column }

/** Names of the columns of a table. */
export type NameIn<T extends Table> = keyof T['columns'] & string

/** The column `name`, which must be there. */
export function columnOf(columns: Columns, name: string): Column {
  const column = columns[name]
  assert(column !== undefined, `there is a column ${name}`)
  return column
}

/**
 * A question for one row per key tuple: all of `key`, and of several the one with the highest
 * `last` when that is given.
 */
export type Lookup<T extends Table = Table, Names extends readonly string[] = readonly string[]> = {
  readonly table: T
  readonly key: readonly string[]
  readonly select: Names
  readonly last?: string
  /** The keys have another column at their end: the highest `last` that is wanted. */
  readonly isBounded?: true
  /** Reads the tables alone, whatever is frozen. */
  readonly over?: 'tables'
  /** Makes every integer of the answer a bigint, as in {@link Statement}. */
  readonly bigints?: boolean
}

/** A row that a look-up gives. */
export type FoundRow<T extends Table, Names extends readonly string[]> = {
  readonly [At in keyof Names]: string extends Names[At] ? Value : ValueIn<T['columns'], Names[At]>
}

/** Reads. */
export interface Reader {
  /** All rows of the answer. Statements are prepared once and kept. */
  readonly all: <R extends Row>(
    statement: Statement<R>,
    parameters?: readonly Value[],
  ) => MaybePromise<R[]>
  /** First row of the answer. */
  readonly get: <R extends Row>(
    statement: Statement<R>,
    parameters?: readonly Value[],
  ) => MaybePromise<R | undefined>
  /** One row (or `undefined`) per tuple of `keys`, in their order. */
  readonly lookup: <T extends Table, const Names extends readonly string[]>(
    lookup: Lookup<T, Names>,
    keys: readonly Column[],
  ) => MaybePromise<(FoundRow<T, Names> | undefined)[]>
}

/** Reads history of a store until it is closed. */
export type OlderHistory = Reader & { readonly close: () => void }

/** Writes, inside one transaction. */
export interface Writer extends Reader {
  /** Runs a statement once. Returns the number of rows it changed. */
  readonly run: (statement: Statement, parameters?: readonly Value[]) => MaybePromise<number>
  /** Adds rows. A key that exists already is a fault. Sorted by key is fastest. */
  readonly insert: <T extends Table>(table: T, columns: ColumnsOf<T>) => MaybePromise<void>
  /** Adds rows, leaving those whose key exists as they are. */
  readonly insertNew: <T extends Table>(table: T, columns: ColumnsOf<T>) => MaybePromise<void>
  /** Adds rows or replaces those whose key exists. */
  readonly upsert: <T extends Table>(table: T, columns: ColumnsOf<T>) => MaybePromise<void>
  /** Changes the named columns of rows that exist, found by the table's key. */
  readonly update: <T extends Table, Name extends NameIn<T>>(
    table: T,
    columns: Readonly<Record<Name, Column>>,
  ) => MaybePromise<void>
  /**
   * Removes rows by the table's key. Sorted by key is fastest. `known` are their other columns,
   * where the caller has them: the sums then need no look at the rows.
   */
  readonly remove: (table: Table, keys: Columns, known?: Columns) => MaybePromise<void>
  /** Removes all rows. */
  readonly clear: (table: Table) => MaybePromise<void>
}

/**
 * The way a store is written at present.
 *
 * - `fill`: large batches follow one another; memory and log are spent to write less
 * - `follow`: small ones come now and then; memory and disk are given back
 */
export type WritingPace = 'fill' | 'follow'

/** Treatment of a transaction, the first two where stores share a server. */
export type TransactionOptions = {
  /**
   * Owner of a lease that stands still: where the work waits for a lock that a stopped transaction of
   * that process has, the engine ends that transaction if it can.
   */
  readonly against?: string | undefined
  /** Goes before the work of other stores: a lease must be renewed in time. */
  readonly isUrgent?: boolean
  /**
   * It need not outlive a failure of the machine, so that a disk is not waited for. A sign of life is written every
   * second by the thread that answers.
   */
  readonly isFleeting?: boolean
}

/**
 * One store: an SQLite file or a PostgreSQL schema. Its members are its own, so that what stands around one is made of
 * them all.
 */
export interface Database extends Reader {
  readonly engine: 'sqlite' | 'postgres'
  /** Of the store: `fuji-43113`, `primary-fuji`, `shared`. For messages and labels. */
  readonly name: string
  /**
   * Runs `work` in one transaction: all of it is stored, or nothing when it throws.
   *
   * One transaction at a time per database; readers keep seeing the state before it.
   */
  readonly transaction: <T>(
    work: (writer: Writer) => MaybePromise<T>,
    how?: TransactionOptions,
  ) => Promise<T>
  /**
   * Reads the store as it is now: what is committed while `work` runs is not seen. For work of
   * minutes at most, since the engine keeps what was replaced meanwhile.
   */
  readonly snapshot: <T>(work: (reader: Reader) => Promise<T>) => Promise<T>
  /**
   * Tries to become the one process that is marked as this store's writer of a lease's `epoch`,
   * until `unclaim`, `close` or the end of the process; true when it is this one. See
   * `store/lease.ts`.
   */
  readonly claim: (epoch: number) => MaybePromise<boolean>
  /** Removes the mark of `epoch`, where this process has it. */
  readonly unclaim: (epoch: number) => MaybePromise<void>
  /**
   * Says how the store is written from now on; a store begins with `fill`. `follow` folds the log
   * into the file, each time it is said; false where a reader was in the way. Waits for the
   * transaction under way.
   */
  readonly pace: (pace: WritingPace) => Promise<boolean>
  /** Bytes on disk, indexes and log included. */
  readonly sizeBytes: () => MaybePromise<number>
  /**
   * Reads the tables, and of the segments only those that end at or below `height`: later ones may be
   * damaged. Absent where the store has no segments.
   */
  readonly historyBelow?: (height: number) => OlderHistory
  /** Waits for the transaction under way. Closing again does nothing. */
  readonly close: () => Promise<void>
  /** The same, at the end of the block that declares it with `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
