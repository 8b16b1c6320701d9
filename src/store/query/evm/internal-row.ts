/** An internal transaction as the lists read it. */

import type { Row } from '../../engine/database.ts'
import type { AsHex } from './hex-columns.ts'
import { integerAt, maybeIntegerAt, textAt } from './row-values.ts'

/** One listed call frame, with the block and transaction it lies in. */
export type InternalRow = {
  readonly pos: number
  readonly txIndex: number
  /** A value of `frameKinds` in the codec. */
  readonly kind: number
  readonly fromId: number
  /** `undefined` for a creation that failed. */
  readonly toId: number | undefined
  /** `0x` hex, like the hashes; zero is `0x`. */
  readonly value: string
  readonly gasLimit: number
  readonly gasUsed: number
  readonly reverted: number
  readonly blockHash: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly timestampMs: number | undefined
  readonly txHash: string
}

/** What {@link internalRow} reads: `i` is the frame, `b` its block, `x` its transaction. */
export function internalSelection(hex: AsHex): string {
  return (
    `i.pos, i.tx_index, i.kind, i.from_id, i.to_id, ${hex('i.value')}, i.gas_limit, i.gas_used, ` +
    `i.reverted, ${hex('b.hash')}, b.timestamp, b.timestamp_ms, ${hex('x.hash')}`
  )
}

/** Finds block and transaction of a frame `i`. */
export const internalPlace =
  'join block b on b.height = i.pos / 1048576 ' +
  'join tx x on x.pos = i.pos / 1048576 * 1048576 + i.tx_index'

/** A row of {@link internalSelection}. */
export function internalRow(row: Row): InternalRow {
  return {
    pos: integerAt(row, 0),
    txIndex: integerAt(row, 1),
    kind: integerAt(row, 2),
    fromId: integerAt(row, 3),
    toId: maybeIntegerAt(row, 4),
    value: textAt(row, 5),
    gasLimit: integerAt(row, 6),
    gasUsed: integerAt(row, 7),
    reverted: integerAt(row, 8),
    blockHash: textAt(row, 9),
    timestamp: integerAt(row, 10),
    timestampMs: maybeIntegerAt(row, 11),
    txHash: textAt(row, 12),
  }
}
