/** A native transaction as the lists read it, and with its fees as one alone is read. */

import { placesPerBlock } from '../../schema/places.ts'
import { hash, hex, integer, maybe, type RowOf, storedRow } from '../stored-row.ts'

/** A transaction `x` with the block `b` it lies in. Byte strings are `0x` hex; zero is `0x`. */
export const transactionRow = storedRow({
  pos: integer('x.pos'),
  hash: hash('x.hash'),
  fromId: integer('x.from_id'),
  /** `undefined` where a contract was created. */
  toId: maybe(integer('x.to_id')),
  value: hex('x.value'),
  gasLimit: integer('x.gas_limit'),
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
export const transactionWithFees = storedRow({
  ...transactionRow.columns,
  maxFee: maybe(hex('x.max_fee')),
  maxPriorityFee: maybe(hex('x.max_priority_fee')),
  baseFee: maybe(hex('b.base_fee')),
})
/** Row of {@link transactionWithFees}. */
export type TransactionWithFees = RowOf<typeof transactionWithFees>

/** Finds the block of a transaction `x`. */
export const transactionPlace = `join block b on b.height = x.pos / ${placesPerBlock}`
