/**
 * Stored rows of an EVM chain back as the columns they were written from.
 *
 * So the code that derives rows from a batch (lists, balances, owners) can run again over stored
 * blocks, and there is one way to derive. Addresses come with the numbers they have in the store.
 */

import { noAddress } from '../../../codec/evm/columns/column-kinds.ts'
import type { BlockBatch, TraceBatch } from '../../../codec/evm/columns/columns.ts'
import { Bytes, GrowingSlices } from '../../../codec/evm/columns/growing.ts'
import { assert } from '../../../core/fault.ts'
import { Words } from '../../../core/growing.ts'
import { u32At } from '../../../core/item-at.ts'
import type { HeightRange } from '../../../source/evm-source.ts'
import { type Reader, type Row, statement } from '../../../store/engine/database.ts'
import { bytesAt, integerAt, maybeBytesAt } from '../../../store/query/row-values.ts'
import { address } from '../../../store/schema/evm.ts'
import { placesPerBlock } from '../../../store/schema/sums.ts'
import { placeOfZero } from './apply-blocks.ts'
import type { AmountsInput } from './nft-rows.ts'

/** A batch made from stored rows; `ids[i]` is the stored number of its address `i`. */
export type StoredBatch = { readonly batch: BlockBatch; readonly ids: Float64Array }

const blockRows = statement(
  `select height, hash, timestamp, timestamp_ms, gas_used, gas_limit, gas_cost, min_delay_excess,
     base_fee, tx_count, inputs from evm_block where height >= ? and height < ? order by height`,
  { over: 'oldest', within: { height: [0, 1] } },
)
const hashOfBlock = statement('select hash from evm_block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})
const txRows = statement(
  `select pos, hash, from_id, to_id, created_id, value, gas_limit, gas_used, gas_price, max_fee,
     max_priority_fee, nonce, type, status, input_length, selector
   from evm_transaction where pos >= ? and pos < ? order by pos`,
  { over: 'oldest', within: { pos: [0, 1] } },
)
const transferRows = statement(
  `select pos, tx_index, log_index, batch_index, kind, token_id, from_id, to_id, value, item
   from transfer where pos >= ? and pos < ? order by pos`,
  { over: 'oldest', within: { pos: [0, 1] } },
)
const eventRows = statement(
  `select pos, tx_index, log_index, kind, address_id, topics, data
   from event where pos >= ? and pos < ? order by pos`,
  { over: 'oldest', within: { pos: [0, 1] } },
)

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
  const parent = (await reader.get(hashOfBlock, [range.from - 1]))?.[0]
  const made = new BatchOfRows(range.from)
  const columns = {
    blocks: made.blocks(blocks, parent instanceof Uint8Array ? parent : new Uint8Array(32)),
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

const frameRows = statement(
  `select pos, tx_index, kind, from_id, to_id, value, gas_limit, gas_used, reverted
   from internal where pos >= ? and pos < ? order by pos`,
  { over: 'oldest', within: { pos: [0, 1] }, stage: 'traces' },
)

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
class BatchOfRows {
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
    const txCount = words(rows, 9)
    let sum = 0
    this.#firstTx = txCount.map((count) => (sum += count) - count)
    const hash = joined(rows.map((row) => bytesAt(row, 1)))
    return {
      count: rows.length,
      hash,
      parentHash: joined([parent, hash.subarray(0, Math.max(0, hash.length - 32))]),
      timestamp: numbers(rows, 2),
      timestampMs: numbers(rows, 3, -1),
      gasUsed: numbers(rows, 4),
      gasLimit: numbers(rows, 5),
      blockGasCost: numbers(rows, 6),
      minDelayExcess: numbers(rows, 7, -1),
      baseFee: this.#slices(rows, 8),
      hasBaseFee: present(rows, 8),
      txCount,
      inputs: this.#slices(rows, 10),
    }
  }

  transactions(rows: readonly Row[]): BlockBatch['txs'] {
    return {
      count: rows.length,
      block: Uint32Array.from(rows, (row) => this.#blockOf(row)),
      hash: joined(rows.map((row) => bytesAt(row, 1))),
      from: this.#addresses(rows, 2),
      to: this.#addresses(rows, 3),
      created: this.#addresses(rows, 4),
      value: this.#slices(rows, 5),
      gasLimit: numbers(rows, 6),
      gasUsed: numbers(rows, 7),
      gasPrice: this.#slices(rows, 8),
      hasMaxFee: present(rows, 9),
      maxFee: this.#slices(rows, 9),
      maxPriorityFee: this.#slices(rows, 10),
      nonce: numbers(rows, 11),
      type: Uint8Array.from(rows, (row) => integerAt(row, 12)),
      status: Uint8Array.from(rows, (row) => integerAt(row, 13)),
      inputLength: words(rows, 14),
      selector: words(rows, 15),
    }
  }

  transfers(rows: readonly Row[]): BlockBatch['transfers'] {
    return {
      count: rows.length,
      tx: Uint32Array.from(rows, (row) => this.#txOf(row)),
      logIndex: words(rows, 2),
      batchIndex: words(rows, 3),
      kind: Uint8Array.from(rows, (row) => integerAt(row, 4)),
      token: this.#addresses(rows, 5),
      from: this.#addresses(rows, 6),
      to: this.#addresses(rows, 7),
      value: this.#slices(rows, 8),
      tokenId: this.#slices(rows, 9),
    }
  }

  events(rows: readonly Row[]): BlockBatch['events'] {
    return {
      count: rows.length,
      tx: Uint32Array.from(rows, (row) => this.#txOf(row)),
      logIndex: words(rows, 2),
      kind: Uint8Array.from(rows, (row) => integerAt(row, 3)),
      address: this.#addresses(rows, 4),
      topics: this.#slices(rows, 5),
      data: this.#slices(rows, 6),
    }
  }

  frames(rows: readonly Row[]): TraceBatch['frames'] {
    return {
      count: rows.length,
      block: Uint32Array.from(rows, (row) => this.#blockOf(row)),
      txIndex: words(rows, 1),
      // Roots of transactions are not stored as frames.
      position: new Uint32Array(rows.length).fill(1),
      kind: Uint8Array.from(rows, (row) => integerAt(row, 2)),
      from: this.#addresses(rows, 3),
      to: this.#addresses(rows, 4),
      value: this.#slices(rows, 5),
      gasLimit: numbers(rows, 6),
      gasUsed: numbers(rows, 7),
      reverted: Uint8Array.from(rows, (row) => integerAt(row, 8)),
    }
  }

  #blockOf(row: Row): number {
    return Math.floor(integerAt(row, 0) / placesPerBlock) - this.#from
  }

  #txOf(row: Row): number {
    return u32At(this.#firstTx, this.#blockOf(row)) + integerAt(row, 1)
  }

  #addresses(rows: readonly Row[], at: number): Uint32Array {
    return Uint32Array.from(rows, (row) => {
      const id = row[at]
      if (typeof id !== 'number') return noAddress
      const known = this.#places.get(id)
      if (known !== undefined) return known
      this.#places.set(id, this.#places.size)
      return this.#places.size - 1
    })
  }

  #slices(rows: readonly Row[], at: number): ReturnType<GrowingSlices['taken']> {
    const slices = new GrowingSlices(this.#arena, rows.length)
    for (const row of rows) slices.pushBytes(maybeBytes(row, at))
    return slices.taken()
  }
}

async function bytesOfNumbers(reader: Reader, ids: Float64Array): Promise<Uint8Array> {
  const rows = await reader.lookup({ table: address, key: ['id'], select: ['bytes'] }, [ids])
  return joined(
    rows.map((row) => {
      assert(row !== undefined, 'rows name stored addresses')
      return bytesAt(row, 0)
    }),
  )
}

function numbers(rows: readonly Row[], at: number, absent = 0): Float64Array {
  return Float64Array.from(rows, (row) => Number(row[at] ?? absent))
}

function words(rows: readonly Row[], at: number): Uint32Array<ArrayBuffer> {
  const column = new Words(rows.length)
  for (const row of rows) column.push(integerAt(row, at))
  return column.taken()
}

function present(rows: readonly Row[], at: number): Uint8Array {
  return Uint8Array.from(rows, (row) => (row[at] === null ? 0 : 1))
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Bytes(parts.length * 32)
  for (const part of parts) all.pushBytes(part)
  return all.taken()
}

const nothing = new Uint8Array()

/** Bytes of a column, empty where it is NULL: another column says whether there is a value. */
function maybeBytes(row: Row, at: number): Uint8Array {
  return maybeBytesAt(row, at) ?? nothing
}
