/**
 * Columns of decoded batches, and the columns of the store that hold them.
 *
 * Which stored column holds which is declared once: writing, reading back (`stored-batch.ts`) and comparing
 * (`verify`) follow from it.
 */

import {
  addresses,
  doubles,
  hashes,
  noAddress,
  type Slices,
  slices,
  smalls,
  words,
} from '../../../codec/evm/columns/column-kinds.ts'
import {
  blockTable,
  eventTable,
  frameTable,
  standardOf,
  transferTable,
  txTable,
} from '../../../codec/evm/columns/columns.ts'
import { to0x } from '../../../core/bytes.ts'
import type { ColumnTable, Kinds, TakenColumns } from '../../../core/columns.ts'
import { assert } from '../../../core/fault.ts'
import { f64At, u32At, u8At } from '../../../core/item-at.ts'
import { ByteColumn } from '../../../store/engine/byte-column.ts'
import type { Column, NameIn, Row } from '../../../store/engine/database.ts'
import { bytesAt, integerAt } from '../../../store/query/row-values.ts'
import { block, event, internal, transfer, tx } from '../../../store/schema/evm.ts'
import { placesPerBlock } from '../../../store/schema/sums.ts'
import { byColumn, type Fields, type Table } from '../../../store/schema/table.ts'

type Columns = Readonly<Record<string, unknown>>

/** Columns of a batch, the table that holds them, and the stored column of each. */
export type StoredAs<C extends Columns, F extends Fields> = {
  readonly kinds: Kinds
  readonly table: Table
  readonly fields: F
  /** Of byte strings that may be absent, NULL in the store: 1 for rows that have one. */
  readonly present: Readonly<Record<string, (columns: C) => Uint8Array>>
}

function storedAs<
  K extends Kinds,
  T extends Table,
  const F extends Readonly<Record<string, NameIn<T>>>,
>(
  { kinds }: ColumnTable<K>,
  table: T,
  fields: F & { readonly [Name in Exclude<keyof F, keyof K>]: never },
  present: StoredAs<TakenColumns<K>, F>['present'] = {},
): StoredAs<TakenColumns<K>, F> {
  return { kinds, table, fields, present }
}

/** Headers. */
export const storedBlocks = storedAs(
  blockTable,
  block,
  {
    hash: 'hash',
    timestamp: 'timestamp',
    timestampMs: 'timestamp_ms',
    gasUsed: 'gas_used',
    gasLimit: 'gas_limit',
    blockGasCost: 'gas_cost',
    minDelayExcess: 'min_delay_excess',
    baseFee: 'base_fee',
    txCount: 'tx_count',
    inputs: 'inputs',
  },
  { baseFee: ({ hasBaseFee }) => hasBaseFee },
)

/** Transactions. */
export const storedTxs = storedAs(
  txTable,
  tx,
  {
    hash: 'hash',
    from: 'from_id',
    to: 'to_id',
    created: 'created_id',
    value: 'value',
    gasLimit: 'gas_limit',
    gasUsed: 'gas_used',
    gasPrice: 'gas_price',
    maxFee: 'max_fee',
    maxPriorityFee: 'max_priority_fee',
    nonce: 'nonce',
    type: 'type',
    status: 'status',
    inputLength: 'input_length',
    selector: 'selector',
  },
  { maxFee: ({ hasMaxFee }) => hasMaxFee, maxPriorityFee: ({ hasMaxFee }) => hasMaxFee },
)

/** Token transfers. */
export const storedTransfers = storedAs(
  transferTable,
  transfer,
  {
    logIndex: 'log_index',
    batchIndex: 'batch_index',
    kind: 'kind',
    token: 'token_id',
    from: 'from_id',
    to: 'to_id',
    value: 'value',
    tokenId: 'item',
  },
  // Of NFTs alone, since a token id of zero is an empty byte string.
  { tokenId: ({ kind }) => kind.map((each) => (standardOf(each) > 20 ? 1 : 0)) },
)

/** Kept logs. */
export const storedEvents = storedAs(eventTable, event, {
  logIndex: 'log_index',
  kind: 'kind',
  address: 'address_id',
  topics: 'topics',
  data: 'data',
})

/** Internal transactions. */
export const storedFrames = storedAs(frameTable, internal, {
  txIndex: 'tx_index',
  kind: 'kind',
  from: 'from_id',
  to: 'to_id',
  value: 'value',
  gasLimit: 'gas_limit',
  gasUsed: 'gas_used',
  reverted: 'reverted',
})

/** Byte strings of a batch, and the stored number of each of its addresses. */
type Written = { readonly arena: Uint8Array; readonly ids: Float64Array }

/** Columns that rows of the store become; byte strings and addresses go into the batch. */
export type MadeBatch = {
  readonly addresses: (rows: readonly Row[], at: number) => Uint32Array
  readonly slices: (rows: readonly Row[], at: number) => Slices
}

/** How columns of one kind are stored. */
type Form = {
  // Methods, so that the form of any kind is a `Form`.
  write(
    values: unknown,
    of: Written & { readonly isOptional: boolean; readonly present: Uint8Array | undefined },
  ): Column
  read(rows: readonly Row[], at: number, made: MadeBatch): unknown
  /** A value as it is compared. */
  text(
    values: unknown,
    row: number,
    of: { readonly arena: Uint8Array; readonly addresses: Uint8Array },
  ): unknown
}

const number = (values: ArrayLike<number>, row: number): unknown => values[row]

const integers = (packed: (values: readonly number[]) => Uint32Array | Uint8Array): Form => ({
  write: (values: Uint32Array | Uint8Array) => values,
  read: (rows, at) => packed(rows.map((row) => integerAt(row, at))),
  text: number,
})

const forms: ReadonlyMap<unknown, Form> = new Map<unknown, Form>([
  [words, integers((values) => Uint32Array.from(values))],
  [smalls, integers((values) => Uint8Array.from(values))],
  [
    doubles,
    {
      // -1 stands for a header without the field.
      write: (values: Float64Array, { isOptional }) =>
        isOptional ? Array.from(values, (value) => (value < 0 ? null : value)) : values,
      read: (rows, at) => Float64Array.from(rows, (row) => Number(row[at] ?? -1)),
      text: number,
    },
  ],
  [
    hashes,
    {
      write: (values: Uint8Array) => ByteColumn.ofWidth(values, 32),
      read: hashesOf,
      text: (values: Uint8Array, row) => to0x(values.subarray(row * 32, row * 32 + 32)),
    },
  ],
  [
    slices,
    {
      write: (values: Slices, { arena, present }) =>
        new ByteColumn(arena, values, { count: values.offset.length, present }),
      read: (rows, at, made) => made.slices(rows, at),
      text: (values: Slices, row, { arena }) => to0x(byteAt(arena, values, row)),
    },
  ],
  [
    addresses,
    {
      write: (values: Uint32Array, { ids, isOptional }) =>
        isOptional ? optionalIdsOf(values, ids) : idsOf(values, ids),
      read: (rows, at, made) => made.addresses(rows, at),
      text: (values: Uint32Array, row, of) => addressText(of.addresses, u32At(values, row)),
    },
  ],
])

function hashesOf(rows: readonly Row[], at: number): Uint8Array {
  const all = new Uint8Array(rows.length * 32)
  for (const [place, row] of rows.entries()) all.set(bytesAt(row, at), place * 32)
  return all
}

function formOf(kinds: Kinds, name: string): Form {
  const form = forms.get(kinds[name])
  assert(form !== undefined, 'every kind has a form in the store')
  return form
}

/** Stored columns of all rows, by their names. */
export function storedColumns<C extends Columns, F extends Fields>(
  { kinds, table, fields, present }: StoredAs<C, F>,
  columns: C,
  memory: Written,
): { readonly [Name in keyof F as F[Name]]: Column } {
  return byColumn(fields, (name, column) =>
    formOf(kinds, name).write(columns[name], {
      ...memory,
      isOptional: table.columns[column]?.endsWith('?') === true,
      present: present[name]?.(columns),
    }),
  )
}

/** Columns of rows whose values begin at place `from`, in the order of the fields. */
export function readColumns<C extends Columns, F extends Fields>(
  { kinds, fields }: StoredAs<C, F>,
  rows: readonly Row[],
  { from, made }: { readonly from: number; readonly made: MadeBatch },
): Pick<C, keyof F & keyof C> {
  const read = Object.keys(fields).map((name, at) => [
    name,
    formOf(kinds, name).read(rows, from + at, made),
  ])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a column of its kind for each field
  return Object.fromEntries(read) as Pick<C, keyof F & keyof C>
}

/**
 * Gives the values of a row as they are compared, in the order of the fields; byte strings that are absent are
 * `none`.
 */
export function comparedRows<C extends Columns, F extends Fields>(
  { kinds, fields, present }: StoredAs<C, F>,
  columns: C,
  batch: { readonly arena: Uint8Array; readonly addresses: Uint8Array },
): (row: number) => readonly unknown[] {
  const all = Object.keys(fields).map((name) => ({
    values: columns[name],
    form: formOf(kinds, name),
    has: present[name]?.(columns),
  }))
  return (row) =>
    all.map(({ values, form, has }) => (has?.[row] === 0 ? 'none' : form.text(values, row, batch)))
}

function addressText(all: Uint8Array, place: number): string {
  return place === noAddress ? 'nobody' : to0x(all.subarray(place * 20, place * 20 + 20))
}

/** Items of `slices`. */
export function bytesOf(arena: Uint8Array, slices: Slices, count: number): ByteColumn {
  return new ByteColumn(arena, slices, { count })
}

/** Item `at` of `slices`, sharing the arena. */
export function byteAt(arena: Uint8Array, slices: Slices, at: number): Uint8Array {
  const from = u32At(slices.offset, at)
  return arena.subarray(from, from + u32At(slices.length, at))
}

/** Stored numbers of addresses named by their place in the batch. */
export function idsOf(places: Uint32Array, ids: Float64Array): Float64Array {
  const named = new Float64Array(places.length)
  for (let at = 0; at < places.length; at++) named[at] = f64At(ids, u32At(places, at))
  return named
}

/** As {@link idsOf}, NULL for no address. */
function optionalIdsOf(places: Uint32Array, ids: Float64Array): (number | null)[] {
  const named: (number | null)[] = []
  for (let at = 0; at < places.length; at++) {
    const place = places[at] ?? noAddress
    named.push(place === noAddress ? null : f64At(ids, place))
  }
  return named
}

/** First 48 bits of each 32-byte hash, as an integer. */
export function prefixesOf(hashes: Uint8Array): Float64Array {
  const prefixes = new Float64Array(hashes.length / 32)
  for (let row = 0; row < prefixes.length; row++) {
    const at = row * 32
    const high = u8At(hashes, at) * 256 + u8At(hashes, at + 1)
    const low =
      u8At(hashes, at + 2) * 0x100_0000 +
      u8At(hashes, at + 3) * 0x1_0000 +
      u8At(hashes, at + 4) * 0x100 +
      u8At(hashes, at + 5)
    prefixes[row] = high * 2 ** 32 + low
  }
  return prefixes
}

/**
 * Positions of rows that lie in `rowBlock[i]`: height × 2^20 + count of rows of the block before.
 *
 * Also the rows' places in their blocks. Rows are in order of blocks; a block that has more rows
 * than places is found by `overfull`.
 */
export function placesOf(
  from: number,
  rowBlock: Uint32Array,
): { pos: Float64Array; place: Uint32Array; overfull: number | undefined } {
  const pos = new Float64Array(rowBlock.length)
  const place = new Uint32Array(rowBlock.length)
  let current = -1
  let next = 0
  let overfull: number | undefined
  for (let row = 0; row < rowBlock.length; row++) {
    const block = u32At(rowBlock, row)
    if (block !== current) {
      current = block
      next = 0
    }
    if (next >= placesPerBlock) overfull ??= from + block
    place[row] = next
    pos[row] = (from + block) * placesPerBlock + next
    next++
  }
  return { pos, place, overfull }
}
