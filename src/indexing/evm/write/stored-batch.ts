/**
 * Stored rows of an EVM chain back as the columns they were written from.
 *
 * So the code that derives rows from a batch (lists, balances, owners) can run again over stored
 * blocks, and there is one way to derive. Addresses come with the numbers they have in the store.
 */

import { noAddress } from '../../../codec/evm/columns/column-kinds.ts'
import type { BlockBatch, TraceBatch } from '../../../codec/evm/columns/columns.ts'
import { Bytes, GrowingSlices } from '../../../codec/evm/columns/growing.ts'
import { concatBytes } from '../../../core/bytes.ts'
import { assert } from '../../../core/fault.ts'
import { itemAt, u32At } from '../../../core/item-at.ts'
import type { HeightRange } from '../../../source/evm-source.ts'
import { type Reader, type Row, statement, type Statement } from '../../../store/engine/database.ts'
import { blockHashAt } from '../../../store/query/evm/blocks.ts'
import { integerAt, maybeBytesAt } from '../../../store/query/row-values.ts'
import { address } from '../../../store/schema/evm.ts'
import { placesPerBlock } from '../../../store/schema/sums.ts'
import type { Fields, Table } from '../../../store/schema/table.ts'
import { placeOfZero } from './apply-blocks.ts'
import {
  type MadeBatch,
  readColumns,
  storedBlocks,
  storedEvents,
  storedFrames,
  storedTransfers,
  storedTxs,
} from './batch-columns.ts'
import type { AmountsInput } from './nft-rows.ts'

/** A batch made from stored rows; `ids[i]` is the stored number of its address `i`. */
export type StoredBatch = { readonly batch: BlockBatch; readonly ids: Float64Array }

const blockRows = rowsOf(storedBlocks)
const txRows = rowsOf(storedTxs)
const transferRows = rowsOf(storedTransfers, 'tx_index')
const eventRows = rowsOf(storedEvents, 'tx_index')
const frameRows = rowsOf(storedFrames)

/** Rows by key: the key, `more` columns, those of the fields. */
function rowsOf(
  { table, fields }: { readonly table: Table; readonly fields: Fields },
  ...more: readonly string[]
): Statement {
  const key = itemAt(table.key, 0)
  const columns = [key, ...more, ...Object.values(fields)].join(', ')
  return statement<string>(
    `select ${columns} from ${table.name} where ${key} >= ? and ${key} < ? order by ${key}`,
    {
      over: 'oldest',
      within: key === 'height' ? { height: [0, 1] } : { pos: [0, 1] },
      stage: table.stage,
    },
  )
}

/**
 * Reads what is stored of heights `range`, all of which must be stored.
 *
 * Cost: four range scans and a look-up per distinct address.
 */
export async function storedBatch(reader: Reader, range: HeightRange): Promise<StoredBatch> {
  const places = [range.from * placesPerBlock, range.until * placesPerBlock]
  const blocks = await reader.all(blockRows, [range.from, range.until])
  assert(blocks.length === range.until - range.from, 'the blocks of the range are stored')
  const txs = await reader.all(txRows, places)
  const transfers = await reader.all(transferRows, places)
  const events = await reader.all(eventRows, places)
  const parent = await blockHashAt(reader, range.from - 1)
  const made = new BatchOfRows(range.from)
  const columns = {
    blocks: made.blocks(blocks, parent ?? new Uint8Array(32)),
    txs: made.transactions(txs),
    transfers: made.transfers(transfers),
    events: made.events(events),
    unexplained: new Uint8Array(),
  }
  const { ids, arena } = made.taken()
  const addresses = await bytesOfNumbers(reader, ids)
  const batch = { kind: 'blocks' as const, ...range, arena, addresses, ...columns }
  return { batch, ids }
}

/** Stored internal transactions of heights `range`, whose traces must be stored. */
export async function storedTraces(reader: Reader, range: HeightRange): Promise<TraceBatch> {
  const places = [range.from * placesPerBlock, range.until * placesPerBlock]
  const made = new BatchOfRows(range.from)
  const frames = made.frames(await reader.all(frameRows, places))
  const { ids, arena } = made.taken()
  const addresses = await bytesOfNumbers(reader, ids)
  return { kind: 'traces', ...range, arena, addresses, frames }
}

/** Columns that writers of amounts read, of a batch made from stored rows. */
export function amountsInput({ batch, ids }: StoredBatch): AmountsInput {
  const { txs, transfers } = batch
  const heights = Float64Array.from(transfers.tx, (row) => batch.from + u32At(txs.block, row))
  return { batch, ids, zero: placeOfZero(batch.addresses), heights }
}

/** Turns rows into columns over one arena. */
class BatchOfRows implements MadeBatch {
  readonly #from: number
  readonly #arena = new Bytes(4_096)
  readonly #places = new Map<number, number>()
  /** Transactions before each block of the range. */
  #firstTx = new Uint32Array()

  constructor(from: number) {
    this.#from = from
  }

  taken(): { ids: Float64Array; arena: Uint8Array } {
    return { ids: Float64Array.from(this.#places.keys()), arena: this.#arena.taken() }
  }

  blocks(rows: readonly Row[], parent: Uint8Array): BlockBatch['blocks'] {
    const columns = readColumns(storedBlocks, rows, { from: 1, made: this })
    const { hash, txCount } = columns
    let sum = 0
    this.#firstTx = txCount.map((count) => (sum += count) - count)
    const hasBaseFee = present(rows, storedBlocks, 'baseFee')
    const parentHash = concatBytes(parent, hash.subarray(0, Math.max(0, hash.length - 32)))
    return { count: rows.length, ...columns, parentHash, hasBaseFee }
  }

  transactions(rows: readonly Row[]): BlockBatch['txs'] {
    const block = Uint32Array.from(rows, (row) => this.#blockOf(row))
    const hasMaxFee = present(rows, storedTxs, 'maxFee')
    const columns = readColumns(storedTxs, rows, { from: 1, made: this })
    return { count: rows.length, block, ...columns, hasMaxFee }
  }

  transfers(rows: readonly Row[]): BlockBatch['transfers'] {
    const columns = readColumns(storedTransfers, rows, { from: 2, made: this })
    return { count: rows.length, tx: this.#txs(rows), ...columns }
  }

  events(rows: readonly Row[]): BlockBatch['events'] {
    const columns = readColumns(storedEvents, rows, { from: 2, made: this })
    return { count: rows.length, tx: this.#txs(rows), ...columns }
  }

  frames(rows: readonly Row[]): TraceBatch['frames'] {
    const block = Uint32Array.from(rows, (row) => this.#blockOf(row))
    // Roots of transactions are not stored as frames.
    const position = new Uint32Array(rows.length).fill(1)
    const columns = readColumns(storedFrames, rows, { from: 1, made: this })
    return { count: rows.length, block, position, ...columns }
  }

  addresses(rows: readonly Row[], at: number): Uint32Array {
    return Uint32Array.from(rows, (row) => {
      const id = row[at]
      if (typeof id !== 'number') return noAddress
      const known = this.#places.get(id)
      if (known !== undefined) return known
      this.#places.set(id, this.#places.size)
      return this.#places.size - 1
    })
  }

  slices(rows: readonly Row[], at: number): ReturnType<GrowingSlices['taken']> {
    const slices = new GrowingSlices(this.#arena, rows.length)
    for (const row of rows) slices.pushBytes(maybeBytes(row, at))
    return slices.taken()
  }

  #blockOf(row: Row): number {
    return Math.floor(integerAt(row, 0) / placesPerBlock) - this.#from
  }

  /** Rows of the transactions that rows name by their place in the block. */
  #txs(rows: readonly Row[]): Uint32Array {
    return Uint32Array.from(
      rows,
      (row) => u32At(this.#firstTx, this.#blockOf(row)) + integerAt(row, 1),
    )
  }
}

async function bytesOfNumbers(reader: Reader, ids: Float64Array): Promise<Uint8Array> {
  const rows = await reader.lookup({ table: address, key: ['id'], select: ['bytes'] }, [ids])
  const all = new Uint8Array(rows.length * 20)
  for (const [at, row] of rows.entries()) {
    assert(row !== undefined, 'rows name stored addresses')
    all.set(row[0], at * 20)
  }
  return all
}

/** 1 for rows that have a value of `field`, which come behind one other. */
function present<F extends Fields>(
  rows: readonly Row[],
  { fields }: { readonly fields: F },
  field: keyof F,
): Uint8Array {
  const at = 1 + Object.keys(fields).findIndex((name) => name === field)
  return Uint8Array.from(rows, (row) => (row[at] === null ? 0 : 1))
}

const nothing = new Uint8Array()

/** Bytes of a column, empty where it is NULL: another column says whether there is a value. */
function maybeBytes(row: Row, at: number): Uint8Array {
  return maybeBytesAt(row, at) ?? nothing
}
