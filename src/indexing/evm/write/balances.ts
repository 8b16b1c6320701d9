/**
 * Running ERC-20 balances from logs.
 *
 * One row per (address, token, block) that changed the balance, plus a first row for every pair
 * a transfer names, so that the pair is a candidate even when nothing moved. The zero address
 * has no balance: transfers from it make, transfers to it destroy. Deposits make and withdrawals
 * destroy; for a contract that never logs a Transfer they are counted too, but without a row in
 * `token` nothing lists them.
 */

import type { Slices } from '../../../codec/evm/columns/column-kinds.ts'
import {
  type BlockBatch,
  standardChangedBy,
  type TransferColumns,
} from '../../../codec/evm/columns/columns.ts'
import { f64At, itemAt, u32At, u8At } from '../../../core/item-at.ts'
import { maxWideBytes, putWide, wideInteger } from '../../../core/wide-integer.ts'
import { ByteColumn } from '../../../store/engine/byte-column.ts'
import type { ColumnsOf, Writer } from '../../../store/engine/database.ts'
import { balance, holding } from '../../../store/schema/evm.ts'
import { byteAt } from './batch-columns.ts'
import { FanOut } from './fan-out.ts'

/** Pairs looked up at once: their rows are objects until they are read. */
const pairsAtOnce = 8_192

/** Columns of a batch that the writer of balances reads. */
type BalanceInput = {
  readonly batch: BlockBatch
  readonly ids: Float64Array
  /** Numbers up to this one were stored before the batch. */
  readonly stored: number
  /** Place of the zero address in the batch, or -1. */
  readonly zero: number
  /** Height of each transfer. */
  readonly heights: Float64Array
}

/** Changes of a batch by pair: pairs ascending, each with a run of transfers. */
type Changes = {
  readonly addressIds: number[]
  readonly tokenIds: number[]
  /** Start of the run of pair `i` in `rows`; the end is the start of the next. */
  readonly starts: number[]
  readonly rows: Uint32Array
}

/** Writes the balances of a batch. */
export async function writeBalances(writer: Writer, input: BalanceInput): Promise<void> {
  const changes = changesOf(input)
  const known = await newestValues(writer, changes, input.stored)
  // Amount that each transfer moves; both its ends need it.
  const { transfers, arena } = input.batch
  const moved: bigint[] = []
  for (let row = 0; row < transfers.count; row++)
    moved.push(
      standardChangedBy(u8At(transfers.kind, row)) === 20
        ? wideInteger(byteAt(arena, transfers.value, row))
        : 0n,
    )
  const rows = new BalanceRows(changes.rows.length)
  const holdings = new NewHoldings()
  for (let pair = 0; pair < changes.addressIds.length; pair++) {
    const addressId = itemAt(changes.addressIds, pair)
    const tokenId = itemAt(changes.tokenIds, pair)
    let written = known[pair]
    let value = written ?? 0n
    if (written === undefined) {
      const first = u32At(changes.rows, itemAt(changes.starts, pair))
      holdings.add(tokenId, addressId, f64At(input.heights, first))
    }
    const until = changes.starts[pair + 1] ?? changes.rows.length
    for (let at = itemAt(changes.starts, pair); at < until; at++) {
      const row = u32At(changes.rows, at)
      value += changeBy(input, row, { addressId, value: itemAt(moved, row) })
      const height = f64At(input.heights, row)
      const next = at + 1 < until ? f64At(input.heights, u32At(changes.rows, at + 1)) : -1
      if (next === height || value === written) continue
      rows.push({ addressId, tokenId, height }, value)
      written = value
    }
  }
  await writer.insert(balance, rows.taken())
  await holdings.write(writer, input.stored)
}

/** Rows of `balance`, in columns that are made once. */
class BalanceRows {
  readonly #addressIds: Float64Array
  readonly #tokenIds: Float64Array
  readonly #heights: Float64Array
  readonly #negatives: Uint8Array
  readonly #value: Slices
  #bytes: Uint8Array
  #view: DataView
  #used = 0
  #count = 0

  constructor(capacity: number) {
    this.#addressIds = new Float64Array(capacity)
    this.#tokenIds = new Float64Array(capacity)
    this.#heights = new Float64Array(capacity)
    this.#negatives = new Uint8Array(capacity)
    this.#value = { offset: new Uint32Array(capacity), length: new Uint32Array(capacity) }
    this.#bytes = new Uint8Array(maxWideBytes + capacity * 10)
    this.#view = new DataView(this.#bytes.buffer)
  }

  push(
    key: { readonly addressId: number; readonly tokenId: number; readonly height: number },
    value: bigint,
  ): void {
    const row = this.#count++
    this.#addressIds[row] = key.addressId
    this.#tokenIds[row] = key.tokenId
    this.#heights[row] = key.height
    this.#negatives[row] = value < 0n ? 1 : 0
    if (this.#used + maxWideBytes > this.#bytes.length) {
      const bytes = new Uint8Array(this.#bytes.length * 2)
      bytes.set(this.#bytes)
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer)
    }
    const length = putWide(value < 0n ? -value : value, this.#view, this.#used)
    this.#value.offset[row] = this.#used
    this.#value.length[row] = length
    this.#used += length
  }

  taken(): ColumnsOf<typeof balance> {
    const count = this.#count
    return {
      address_id: this.#addressIds.subarray(0, count),
      token_id: this.#tokenIds.subarray(0, count),
      height: this.#heights.subarray(0, count),
      value: new ByteColumn(this.#bytes, this.#value, { count }),
      negative: this.#negatives.subarray(0, count),
    }
  }
}

/** Pairs touched by the batch and their transfers in order. */
function changesOf({ batch, ids, zero }: BalanceInput): Changes {
  const { transfers } = batch
  const fanOut = new FanOut(transfers.count * 2)
  for (let row = 0; row < transfers.count; row++) {
    if (standardChangedBy(u8At(transfers.kind, row)) !== 20) continue
    const from = u32At(transfers.from, row)
    const to = u32At(transfers.to, row)
    if (from !== zero) fanOut.add(f64At(ids, from), row)
    if (to !== zero && to !== from) fanOut.add(f64At(ids, to), row)
  }
  const { ids: owners, rows } = fanOut.sorted()
  const changes: Changes = { addressIds: [], tokenIds: [], starts: [], rows }
  for (let start = 0; start < rows.length;) {
    let end = start + 1
    while (end < rows.length && owners[end] === owners[start]) end++
    splitByToken({ transfers, ids, changes }, f64At(owners, start), { start, end })
    start = end
  }
  return changes
}

/** Orders the run of one address by token, in place, and notes its pairs. */
function splitByToken(
  on: {
    readonly transfers: TransferColumns
    readonly ids: Float64Array
    readonly changes: Changes
  },
  addressId: number,
  run: { readonly start: number; readonly end: number },
): void {
  const { transfers, ids, changes } = on
  const tokenOf = (row: number): number => f64At(ids, u32At(transfers.token, row))
  const rows = changes.rows.subarray(run.start, run.end)
  const first = tokenOf(u32At(rows, 0))
  // Rows are ascending already, and the order of one token's rows must stay.
  if (rows.length > 1 && rows.some((row) => tokenOf(row) !== first))
    rows.sort((a, b) => tokenOf(a) - tokenOf(b) || a - b)
  let last = -1
  for (let at = 0; at < rows.length; at++) {
    const token = tokenOf(u32At(rows, at))
    if (token === last) continue
    last = token
    changes.addressIds.push(addressId)
    changes.tokenIds.push(token)
    changes.starts.push(run.start + at)
  }
}

/** Newest value of each pair before the batch; `undefined` for a pair never seen. */
async function newestValues(
  writer: Writer,
  { addressIds, tokenIds }: Changes,
  stored: number,
): Promise<(bigint | undefined)[]> {
  const values = Array.from<bigint | undefined>({ length: addressIds.length })
  const pairs: number[] = []
  for (let pair = 0; pair < addressIds.length; pair++)
    if (itemAt(addressIds, pair) <= stored && itemAt(tokenIds, pair) <= stored) pairs.push(pair)
  const lookup = {
    table: balance,
    key: ['address_id', 'token_id'],
    select: ['value', 'negative'],
    last: 'height',
    // Written balances count from the first block that is not frozen.
    over: 'tables',
  } as const
  for (let from = 0; from < pairs.length; from += pairsAtOnce) {
    const some = pairs.slice(from, from + pairsAtOnce)
    const keys = [some.map((at) => itemAt(addressIds, at)), some.map((at) => itemAt(tokenIds, at))]
    for (const [at, row] of (await writer.lookup(lookup, keys)).entries()) {
      if (row === undefined) continue
      const size = wideInteger(row[0])
      values[itemAt(some, at)] = row[1] === 1 ? -size : size
    }
  }
  return values
}

/** Change that a transfer of `value` makes to the balance of one of its ends. */
function changeBy(
  { batch, ids }: BalanceInput,
  row: number,
  { addressId, value }: { readonly addressId: number; readonly value: bigint },
): bigint {
  const from = ids[u32At(batch.transfers.from, row)]
  const to = ids[u32At(batch.transfers.to, row)]
  if (from === to) return 0n
  return to === addressId ? value : -value
}

/**
 * Addresses that may be new to a token, each with a height at which it appears, ascending by pair.
 */
export class NewHoldings {
  readonly #tokenIds: number[] = []
  readonly #addressIds: number[] = []
  readonly #heights: number[] = []

  /** Notes an address; of several heights the lowest counts. */
  add(tokenId: number, addressId: number, height: number): void {
    this.#tokenIds.push(tokenId)
    this.#addressIds.push(addressId)
    this.#heights.push(height)
  }

  /**
   * Writes those that are not stored yet, in the order of the key. An address or token with a number
   * above `stored` cannot be; the others cost a look-up each.
   */
  async write(writer: Writer, stored = Number.POSITIVE_INFINITY): Promise<void> {
    // Places of the pairs, each once, in the order of the key.
    const tokens = this.#tokenIds
    const addresses = this.#addressIds
    const order = Array.from(tokens.keys()).sort(
      (a, b) =>
        itemAt(tokens, a) - itemAt(tokens, b) ||
        itemAt(addresses, a) - itemAt(addresses, b) ||
        itemAt(this.#heights, a) - itemAt(this.#heights, b),
    )
    const old: number[] = []
    const fresh: number[] = []
    let token = -1
    let address = -1
    for (const at of order) {
      if (itemAt(tokens, at) === token && itemAt(addresses, at) === address) continue
      token = itemAt(tokens, at)
      address = itemAt(addresses, at)
      const isFresh = token > stored || address > stored
      ;(isFresh ? fresh : old).push(at)
    }
    if (fresh.length > 0) await writer.insert(holding, this.#columns(fresh))
    if (old.length > 0) await writer.insertNew(holding, this.#columns(old))
  }

  #columns(places: readonly number[]): ColumnsOf<typeof holding> {
    return {
      token_id: places.map((at) => itemAt(this.#tokenIds, at)),
      address_id: places.map((at) => itemAt(this.#addressIds, at)),
      since: places.map((at) => itemAt(this.#heights, at)),
    }
  }
}
