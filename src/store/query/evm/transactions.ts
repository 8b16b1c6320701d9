/** Transactions of a chain: by hash, of an address, the latest. */

import { assert } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import {
  hash,
  hex,
  integer,
  maybe,
  type RowOf,
  storedRow,
  bytes,
  mapped,
  bothOrders,
} from '../stored-row.ts'
import { addressesOfIds } from './addresses.ts'
import {
  hashPrefix,
  heightOf,
  posOfHeight,
  overOf,
  positionsOf,
  type PosRange,
  type ListPart,
} from './position.ts'

/** A transaction `x` with the block `b` it lies in. Byte strings are `0x` hex; zero is `0x`. */
const transactionRow = storedRow({
  pos: integer('x.pos'),
  hash: hash('x.hash'),
  fromId: integer('x.from_id'),
  /** `undefined` where a contract was created. */
  toId: maybe(integer('x.to_id')),
  value: hex('x.value'),
  gasLimit: hex('x.gas_limit'),
  gasUsed: integer('x.gas_used'),
  gasPrice: hex('x.gas_price'),
  nonce: integer('x.nonce'),
  type: integer('x.type'),
  status: integer('x.status'),
  inputLength: integer('x.input_length'),
  selector: integer('x.selector'),
  blockHash: hash('b.hash'),
  /** Unix seconds. */
  timestamp: integer('b.timestamp'),
  timestampMs: maybe(integer('b.timestamp_ms')),
  minDelayExcess: maybe(integer('b.min_delay_excess')),
})
/** Row of {@link transactionRow}. */
export type TransactionRow = RowOf<typeof transactionRow>

/** A transaction with what it offered to pay, and what its block demanded. */
const transactionWithFees = storedRow({
  ...transactionRow.columns,
  maxFee: maybe(hex('x.max_fee')),
  maxPriorityFee: maybe(hex('x.max_priority_fee')),
  baseFee: maybe(hex('b.base_fee')),
})
/** Row of {@link transactionWithFees}. */
export type TransactionWithFees = RowOf<typeof transactionWithFees>

/** Finds the block of a transaction `x`. */
const transactionPlace = `join evm_block b on b.height = x.pos / ${placesPerBlock}`

const byHash = transactionWithFees.statement(
  (columns) => `select ${columns}
   from evm_transaction_by_hash h
   join evm_transaction x on x.pos = h.pos
   ${transactionPlace}
   where h.hash_prefix = ? and x.hash = ?
   order by h.pos limit 1`,
  { over: 'newest', key: { of: 'hash', at: [0] } },
)

const byPos = transactionWithFees.statement(
  (columns) => `select ${columns} from evm_transaction x ${transactionPlace} where x.pos = ?`,
  { over: 'newest', within: { pos: [0] } },
)

/**
 * The transaction with a hash, or `undefined`.
 *
 * Cost: one range scan of `evm_transaction_by_hash` (one row, rarely two) and two look-ups by key.
 */
export async function transactionByHash(
  store: Reader,
  hash: Uint8Array,
): Promise<TransactionWithFees | undefined> {
  return transactionWithFees.first(store, byHash, [hashPrefix(hash), hash])
}

/** The transaction at a position, or `undefined`. Cost: two look-ups by key. */
export async function transactionAt(
  store: Reader,
  pos: number,
): Promise<TransactionWithFees | undefined> {
  return transactionWithFees.first(store, byPos, [pos])
}

const packed = statement('select inputs from evm_block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})

const before = statement(
  'select coalesce(sum(input_length), 0) from evm_transaction where pos >= ? and pos < ?',
  {
    // The sum of bigints is a numeric there.
    postgres:
      'select coalesce(sum(input_length), 0)::bigint from evm_transaction where pos >= ? and pos < ?',
    over: 'sum',
    within: { pos: [0, 1] },
  },
)

/** Inputs of the whole block, compressed, and where the one wanted begins when unpacked. */
type PackedInput = { readonly inputs: Uint8Array; readonly offset: number }

/**
 * The packed inputs of the block of transaction `txPos`.
 *
 * Cost: one look-up of the block, and one scan of the block's transactions up to this one.
 */
export async function packedInput(store: Reader, txPos: number): Promise<PackedInput | undefined> {
  const height = heightOf(txPos)
  const [block, sum] = await Promise.all([
    store.get(packed, [height]),
    store.get(before, [posOfHeight(height), txPos]),
  ])
  if (block === undefined || sum === undefined) return undefined
  return { inputs: block[0], offset: sum[0] }
}

const questions = bothOrders((direction) =>
  transactionRow.statement(
    (columns) => `select ${columns}
   from evm_transaction_by_address a
   join evm_transaction x on x.pos = a.pos
   ${transactionPlace}
   where a.address_id = ? and a.pos >= ? and a.pos < ?
   order by a.pos ${direction} limit ?`,
    { over: overOf[direction], key: { of: 'transactions', at: [0] }, within: { pos: [1, 2] } },
  ),
)

/**
 * Transactions an address sent, received or was created by, inside `range`, newest first, or in `direction`.
 *
 * Cost: one range scan of `evm_transaction_by_address`, and two look-ups by key per row.
 */
export async function transactionsOfAddress(
  store: Reader,
  query: ListPart & { readonly addressId: number },
): Promise<TransactionRow[]> {
  const { addressId, range, limit, direction = 'desc' } = query
  return transactionRow.all(store, questions[direction], [
    addressId,
    range.from,
    range.until,
    limit,
  ])
}

/** Positions of {@link transactionsOfAddress}. Cost: one range scan of `evm_transaction_by_address`. */
export const transactionPlaces = positionsOf<{ readonly addressId: number }>(
  bothOrders((direction) =>
    statement(
      `select a.pos from evm_transaction_by_address a
     where a.address_id = ? and a.pos >= ? and a.pos < ?
     order by a.pos ${direction} limit ?`,
      { over: overOf[direction], key: { of: 'transactions', at: [0] }, within: { pos: [1, 2] } },
    ),
  ),
  ({ addressId }) => [addressId],
)

const all = transactionRow.statement(
  (columns) => `select ${columns}
   from evm_transaction x ${transactionPlace}
   where x.pos >= ? and x.pos < ?
   order by x.pos desc limit ?`,
  { over: 'newest', within: { pos: [0, 1] } },
)

const succeeded = transactionRow.statement(
  (columns) => `select ${columns}
   from evm_transaction x ${transactionPlace}
   where x.pos >= ? and x.pos < ? and x.status = 1
   order by x.pos desc limit ?`,
  { over: 'newest', within: { pos: [0, 1] } },
)

const failed = transactionRow.statement(
  (columns) => `select ${columns}
   from evm_transaction_failed f
   join evm_transaction x on x.pos = f.pos
   ${transactionPlace}
   where f.pos >= ? and f.pos < ?
   order by f.pos desc limit ?`,
  { over: 'newest', within: { pos: [0, 1] } },
)

const inOrder = transactionRow.statement(
  (columns) => `select ${columns}
   from evm_transaction x ${transactionPlace}
   where x.pos >= ? and x.pos < ?
   order by x.pos limit ?`,
  { over: 'oldest', within: { pos: [0, 1] } },
)

/**
 * Transactions inside `range`, newest first; with `status` only those that failed or did not.
 *
 * Cost: one range scan of `evm_transaction` by key, or of `evm_transaction_failed` and a look-up per row. Success is
 * filtered on the scan: most transactions succeed.
 */
export async function latestTransactions(
  store: Reader,
  query: {
    readonly status: 'failed' | 'success' | undefined
    readonly range: PosRange
    readonly limit: number
  },
): Promise<TransactionRow[]> {
  const { status, range, limit } = query
  const question = status === undefined ? all : status === 'failed' ? failed : succeeded
  return transactionRow.all(store, question, [range.from, range.until, limit])
}

/** Transactions inside `range` in order of history. Cost: one range scan of `evm_transaction` by key. */
export async function transactionsInOrder(
  store: Reader,
  query: { readonly range: PosRange; readonly limit: number },
): Promise<TransactionRow[]> {
  const { range, limit } = query
  return transactionRow.all(store, inOrder, [range.from, range.until, limit])
}

/** A transaction. */
const tracedRow = storedRow({
  height: mapped(integer('pos'), heightOf),
  hash: bytes('hash'),
  fromId: integer('from_id'),
  toId: maybe(integer('coalesce(to_id, created_id)')),
  createdId: maybe(integer('created_id')),
  status: integer('status'),
  /** Big-endian, without leading zeros. */
  value: bytes('value'),
  gasUsed: integer('gas_used'),
})
/** One transaction. */
export type TracedRow = Omit<
  RowOf<typeof tracedRow>,
  'fromId' | 'toId' | 'createdId' | 'status'
> & {
  readonly from: Uint8Array
  /** Receiver, or in a creation the created contract; absent where there is none. */
  readonly to: Uint8Array | undefined
  readonly isFailedCreation: boolean
}

const tracedTransactionsQuestion = tracedRow.statement(
  (columns) => `select ${columns} from evm_transaction where pos >= ? and pos < ? order by pos`,
  { over: 'oldest', within: { pos: [0, 1] } },
)

/**
 * Transactions of heights `[from, until)` in order. Cost: one range of `evm_transaction`, two look-ups by key
 * for each.
 */
export async function tracedTransactions(
  store: Reader,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<TracedRow[]> {
  const range = [from * placesPerBlock, until * placesPerBlock]
  const txs = await tracedRow.all(store, tracedTransactionsQuestion, range)
  const ids = [...new Set(txs.flatMap(({ fromId, toId = fromId }) => [fromId, toId]))]
  const addresses = await addressesOfIds(store, ids)
  const byId = new Map(ids.map((id, at) => [id, itemAt(addresses, at)]))
  return txs.map((tx) => {
    const sender = byId.get(tx.fromId)
    assert(sender !== undefined, 'every number was looked up')
    const { fromId: _from, toId, createdId, status, ...facts } = tx
    const isFailedCreation = status === 0 && (createdId ?? toId) === createdId
    const to = toId === undefined ? undefined : byId.get(toId)
    return { ...facts, from: sender, to, isFailedCreation }
  })
}

const gasUntilQuestion = statement(
  'select coalesce(sum(gas_used), 0) from evm_transaction where pos >= ? and pos <= ?',
  {
    postgres:
      'select coalesce(sum(gas_used), 0)::bigint from evm_transaction where pos >= ? and pos <= ?',
    over: 'sum',
    within: { pos: [0, 1] },
  },
)

/** Gas that the block's transactions up to the one at `pos` used. Cost: a scan of these. */
export async function gasUntil(store: Reader, pos: number): Promise<number> {
  return (await store.get(gasUntilQuestion, [posOfHeight(heightOf(pos)), pos]))?.[0] ?? 0
}
