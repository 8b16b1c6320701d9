/** A native transaction as the lists read it, and with its fees as one alone is read. */

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
  readonly blockHash: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly timestampMs: number | undefined
  readonly minDelayExcess: number | undefined
}

/** One transaction with what it offered to pay, and what its block demanded. */
export type TransactionWithFees = TransactionRow & {
  readonly maxFee: string | undefined
  readonly maxPriorityFee: string | undefined
  readonly baseFee: string | undefined
}

/** What {@link transactionRow} reads: `x` is the transaction, `b` its block. */
export function transactionSelection(hex: AsHex): string {
  return (
    `x.pos, x.from_id, x.to_id, ${hex('x.hash || b.hash || x.value')}, x.gas_limit, x.gas_used, ` +
    `${hex('x.gas_price')}, x.nonce, x.type, x.status, x.input_length, x.selector, ` +
    `b.timestamp, b.timestamp_ms, b.min_delay_excess`
  )
}

/** What {@link transactionWithFees} reads. */
export function selectionWithFees(hex: AsHex, maybeHex: AsHex): string {
  const fees = ['x.max_fee', 'x.max_priority_fee', 'b.base_fee'].map(maybeHex)
  return `${transactionSelection(hex)}, ${fees.join(', ')}`
}

/** Finds the block of a transaction `x`. */
export const transactionPlace = 'join block b on b.height = x.pos / 1048576'

/** A row of {@link transactionSelection}. */
export function transactionRow(row: Row): TransactionRow {
  // Three byte strings in one column: 32 bytes, 32 bytes, the rest. Calls cost more than cutting.
  const texts = textAt(row, 3)
  return {
    pos: integerAt(row, 0),
    hash: texts.slice(0, 66),
    fromId: integerAt(row, 1),
    toId: maybeIntegerAt(row, 2),
    value: `0x${texts.slice(130)}`,
    gasLimit: integerAt(row, 4),
    gasUsed: integerAt(row, 5),
    gasPrice: textAt(row, 6),
    nonce: integerAt(row, 7),
    type: integerAt(row, 8),
    status: integerAt(row, 9),
    inputLength: integerAt(row, 10),
    selector: integerAt(row, 11),
    blockHash: `0x${texts.slice(66, 130)}`,
    timestamp: integerAt(row, 12),
    timestampMs: maybeIntegerAt(row, 13),
    minDelayExcess: maybeIntegerAt(row, 14),
  }
}

/** A row of {@link selectionWithFees}. */
export function transactionWithFees(row: Row): TransactionWithFees {
  return {
    ...transactionRow(row),
    maxFee: maybeTextAt(row, 15),
    maxPriorityFee: maybeTextAt(row, 16),
    baseFee: maybeTextAt(row, 17),
  }
}
