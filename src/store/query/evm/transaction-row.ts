/** A native transaction as the lists read it. */

import type { Row } from '../../engine/database.ts'
import type { AsHex } from './hex-columns.ts'
import { integerAt, maybeIntegerAt, maybeTextAt, textAt } from './row-values.ts'

/** One transaction with the block it lies in. Byte strings are `0x` hex; zero is `0x`. */
export type TransactionRow = {
  readonly pos: number
  readonly hash: string
  readonly fromId: number
  /** `undefined` where a contract was created. */
  readonly toId: number | undefined
  readonly value: string
  readonly gasLimit: number
  readonly gasUsed: number
  readonly gasPrice: string
  readonly nonce: number
  readonly type: number
  readonly status: number
  readonly inputLength: number
  readonly selector: number
  readonly maxFee: string | undefined
  readonly maxPriorityFee: string | undefined
  readonly blockHash: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly timestampMs: number | undefined
  readonly minDelayExcess: number | undefined
  readonly baseFee: string | undefined
}

/** What {@link transactionRow} reads: `x` is the transaction, `b` its block. */
export function transactionSelection(hex: AsHex, maybeHex: AsHex): string {
  return (
    `x.pos, ${hex('x.hash')}, x.from_id, x.to_id, ${hex('x.value')}, x.gas_limit, x.gas_used, ` +
    `${hex('x.gas_price')}, x.nonce, x.type, x.status, x.input_length, x.selector, ` +
    `${maybeHex('x.max_fee')}, ${maybeHex('x.max_priority_fee')}, ${hex('b.hash')}, ` +
    `b.timestamp, b.timestamp_ms, b.min_delay_excess, ${maybeHex('b.base_fee')}`
  )
}

/** Finds the block of a transaction `x`. */
export const transactionPlace = 'join block b on b.height = x.pos / 1048576'

/** A row of {@link transactionSelection}. */
export function transactionRow(row: Row): TransactionRow {
  return {
    pos: integerAt(row, 0),
    hash: textAt(row, 1),
    fromId: integerAt(row, 2),
    toId: maybeIntegerAt(row, 3),
    value: textAt(row, 4),
    gasLimit: integerAt(row, 5),
    gasUsed: integerAt(row, 6),
    gasPrice: textAt(row, 7),
    nonce: integerAt(row, 8),
    type: integerAt(row, 9),
    status: integerAt(row, 10),
    inputLength: integerAt(row, 11),
    selector: integerAt(row, 12),
    maxFee: maybeTextAt(row, 13),
    maxPriorityFee: maybeTextAt(row, 14),
    blockHash: textAt(row, 15),
    timestamp: integerAt(row, 16),
    timestampMs: maybeIntegerAt(row, 17),
    minDelayExcess: maybeIntegerAt(row, 18),
    baseFee: maybeTextAt(row, 19),
  }
}
