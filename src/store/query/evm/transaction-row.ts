/** A native transaction as the lists read it. */

import type { Row } from '../../engine/database.ts'
import { bytesAt, integerAt, maybeBytesAt, maybeIntegerAt } from './row-values.ts'

/** One transaction with the block it lies in. Wide integers are big-endian. */
export type TransactionRow = {
  readonly pos: number
  readonly hash: Uint8Array
  readonly fromId: number
  /** `undefined` where a contract was created. */
  readonly toId: number | undefined
  readonly value: Uint8Array
  readonly gasLimit: number
  readonly gasUsed: number
  readonly gasPrice: Uint8Array
  readonly nonce: number
  readonly type: number
  readonly status: number
  readonly inputLength: number
  readonly selector: number
  readonly maxFee: Uint8Array | undefined
  readonly maxPriorityFee: Uint8Array | undefined
  readonly blockHash: Uint8Array
  /** Unix seconds. */
  readonly timestamp: number
  readonly timestampMs: number | undefined
  readonly minDelayExcess: number | undefined
  readonly baseFee: Uint8Array | undefined
}

/** What {@link transactionRow} reads: `x` is the transaction, `b` its block. */
export const transactionSelection =
  'x.pos, x.hash, x.from_id, x.to_id, x.value, x.gas_limit, x.gas_used, x.gas_price, x.nonce, ' +
  'x.type, x.status, x.input_length, x.selector, x.max_fee, x.max_priority_fee, ' +
  'b.hash, b.timestamp, b.timestamp_ms, b.min_delay_excess, b.base_fee'

/** Finds the block of a transaction `x`. */
export const transactionPlace = 'join block b on b.height = x.pos / 1048576'

/** A row of {@link transactionSelection}. */
export function transactionRow(row: Row): TransactionRow {
  return {
    pos: integerAt(row, 0),
    hash: bytesAt(row, 1),
    fromId: integerAt(row, 2),
    toId: maybeIntegerAt(row, 3),
    value: bytesAt(row, 4),
    gasLimit: integerAt(row, 5),
    gasUsed: integerAt(row, 6),
    gasPrice: bytesAt(row, 7),
    nonce: integerAt(row, 8),
    type: integerAt(row, 9),
    status: integerAt(row, 10),
    inputLength: integerAt(row, 11),
    selector: integerAt(row, 12),
    maxFee: maybeBytesAt(row, 13),
    maxPriorityFee: maybeBytesAt(row, 14),
    blockHash: bytesAt(row, 15),
    timestamp: integerAt(row, 16),
    timestampMs: maybeIntegerAt(row, 17),
    minDelayExcess: maybeIntegerAt(row, 18),
    baseFee: maybeBytesAt(row, 19),
  }
}
