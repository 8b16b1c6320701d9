/**
 * Columns of a batch, each declared once.
 *
 * A table names its columns and the kind of each. From this declaration follow the type, the
 * columns while they grow, how a row is added, and what they become, which another thread is handed
 * as memory ({@link buffersOf}). What is done for each column is written out by name, so that each
 * table has objects of one shape (decision 0009).
 */

import { assert } from './fault.ts'
import { Bigs, ByteRows, Doubles, Words } from './growing.ts'

/**
 * Operations on columns of one kind. `Memory` holds their byte strings, where they share it.
 */
export type ColumnKind<Growing, Taken, Memory = unknown> = {
  // Methods, so that every kind is a `ColumnKind<unknown, unknown>`.
  /** A column without rows, with room for `rows` of them. */
  growing(rows: number, memory: Memory): Growing
  /** Number of rows it has now. */
  rowsOf(growing: Growing): number
  /** Its rows. It must not grow after this. */
  taken(growing: Growing): Taken
}

/** The columns of a table. */
export type Kinds = Readonly<Record<string, ColumnKind<unknown, unknown>>>
type GrowingOf<K> = K extends ColumnKind<infer Growing, unknown> ? Growing : never
type TakenOf<K> = K extends ColumnKind<unknown, infer Taken> ? Taken : never
type Together<F> = [F] extends [(value: infer Value) => void] ? Value : never
/** Memory that all columns of a table share. */
type MemoryOf<K> = Together<
  K extends ColumnKind<unknown, unknown, infer Memory> ? (memory: Memory) => void : never
>
type Pushed<Growing> = Growing extends { push(value: infer Value): void } ? Value : never
/** Fields of a row that a column reads: those its kind reads, else the field of its name. */
type NeededBy<Name extends string, K> = K extends { read(row: infer Row): unknown }
  ? Row
  : { readonly [Field in Name]: Pushed<GrowingOf<K>> }

/** Columns of a batch while they grow. */
export type GrowingColumns<K extends Kinds> = { readonly [Name in keyof K]: GrowingOf<K[Name]> }
/** Columns of a batch, and how many rows they have. */
export type TakenColumns<K extends Kinds> = { readonly count: number } & {
  readonly [Name in keyof K]: TakenOf<K[Name]>
}
/** A row for {@link ColumnTable.append}. */
export type RowOf<K extends Kinds> = Together<
  { [Name in keyof K & string]: (row: NeededBy<Name, K[Name]>) => void }[keyof K & string]
>

/** Functions that follow from the declaration of a table. */
export type ColumnTable<K extends Kinds> = {
  readonly kinds: K
  /** Columns without rows, with room for `rows` of them. */
  readonly growing: (rows: number, memory: MemoryOf<K[keyof K]>) => GrowingColumns<K>
  /** Adds a row to every column. */
  readonly append: (columns: GrowingColumns<K>, row: RowOf<K>) => void
  /** Number of rows, which is that of the first column. */
  readonly rowsOf: (columns: GrowingColumns<K>) => number
  /** Hands the columns over. All must have equally many rows. */
  readonly taken: (columns: GrowingColumns<K>) => TakenColumns<K>
  /** Columns of `count` rows that `make` gives, one after the other. */
  readonly made: (
    count: number,
    make: (kind: K[keyof K], name: keyof K & string) => unknown,
  ) => TakenColumns<K>
}

/** The columns of a table's batches. */
export type ColumnsOf<T> = T extends ColumnTable<infer K> ? TakenColumns<K> : never

/** A table of these columns. */
export function columnTable<const K extends Kinds>(kinds: K): ColumnTable<K> {
  const names: readonly string[] = Object.keys(kinds)
  const all: readonly ColumnKind<unknown, unknown>[] = Object.values(kinds)
  const first = all[0]
  assert(first !== undefined, 'a table has columns')
  const [firstName = ''] = names
  const listed = (one: (name: string, at: number) => string): string => names.map(one).join()
  const build = functionOfText<(make: (at: number) => unknown) => GrowingColumns<K>>(
    {},
    `return (make) => ({ ${listed((name, at) => `${name}: make(${at})`)} })`,
  )
  const buildCounted = functionOfText<
    (count: number, make: (at: number) => unknown) => TakenColumns<K>
  >({}, `return (count, make) => ({ count, ${listed((name, at) => `${name}: make(${at})`)} })`)
  const rowsOf = (columns: Readonly<Record<string, unknown>>): number =>
    first.rowsOf(columns[firstName])
  const kindAt = (at: number): ColumnKind<unknown, unknown> => {
    const kind = all[at]
    assert(kind !== undefined, 'columns are built by their places')
    return kind
  }
  const nameAt = (at: number): string => names[at] ?? ''
  return {
    kinds,
    growing: (rows, memory) => build((at) => kindAt(at).growing(rows, memory)),
    append: appender(kinds),
    rowsOf,
    taken: (columns) => {
      const count = rowsOf(columns)
      const each: Readonly<Record<string, unknown>> = columns
      return buildCounted(count, (at) => {
        const column = each[nameAt(at)]
        assert(kindAt(at).rowsOf(column) === count, `column ${nameAt(at)} has as many rows as all`)
        return kindAt(at).taken(column)
      })
    },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names and kinds are those of K
    made: (count, make) => buildCounted(count, (at) => make(kindAt(at) as K[keyof K], nameAt(at))),
  }
}

function appender<K extends Kinds>(kinds: K): ColumnTable<K>['append'] {
  const names = Object.keys(kinds)
  const reads = Object.values(kinds).map((kind) => ('read' in kind ? kind.read : undefined))
  const pushes = names.map(
    (name, at) =>
      `columns.${name}.push(${reads[at] === undefined ? `row.${name}` : `read${at}(row)`})`,
  )
  return functionOfText(
    { reads },
    `const [${names.map((_, at) => `read${at}`).join()}] = reads
    return (columns, row) => { ${pushes.join('\n')} }`,
  )
}

/** A column whose value is read from a row, instead of being the row's field of its name. */
export function readFrom<Row, Value, Growing extends { push(value: Value): void }, Taken>(
  kind: ColumnKind<Growing, Taken>,
  read: (row: Row) => Value,
): ColumnKind<Growing, Taken> & { read(row: Row): Value } {
  return { ...kind, read }
}

type Growable<Taken> = { readonly length: number; taken(): Taken }

/** A kind whose columns know their rows and give them. */
export function columnKind<Growing extends Growable<unknown>, Memory = unknown>(
  growing: (rows: number, memory: Memory) => Growing,
): ColumnKind<Growing, ReturnType<Growing['taken']>, Memory> {
  return {
    growing,
    rowsOf: ({ length }) => length,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of its own method
    taken: (columns) => columns.taken() as ReturnType<Growing['taken']>,
  }
}

/** Integers below 2^32. */
export const words: ColumnKind<Words, Uint32Array> = columnKind((rows) => new Words(rows))
/** Numbers. */
export const doubles: ColumnKind<Doubles, Float64Array> = columnKind((rows) => new Doubles(rows))
/** Unsigned 64-bit integers. */
export const bigs: ColumnKind<Bigs, BigUint64Array> = columnKind((rows) => new Bigs(rows))

/** Byte strings of `width` bytes each, one after the other. */
export function bytesOf(width: number): ColumnKind<ByteRows, Uint8Array> {
  return columnKind((rows) => new ByteRows(width, rows))
}

// Functions made from text: for what is done to each field of a record, written out field by field.
//
// V8 learns what a function meets by the function's place in the source. One loop over the fields
// of all records is one place: it meets every shape, can be compiled for none, and is compiled
// again and again. Written out, each record has a function of its own: transactions are decoded 1.4
// times, their bodies packed 2.5 times as fast. See decision 0009.

/**
 * Returns the result of `text`, the body of a function that knows `values` by name. The text must
 * come from our own declarations alone. The caller says what it returns.
 */
export function functionOfText<F>(values: Readonly<Record<string, unknown>>, text: string): F {
  // oxlint-disable-next-line typescript/no-implied-eval -- what this file is for
  const make = new Function(...Object.keys(values), `'use strict'\n${text}`)
  return make(...Object.values(values)) as F
}
