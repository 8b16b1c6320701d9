/** A token transfer as the lists read it. */

import type { Row } from '../../engine/database.ts'
import type { AsHex } from './hex-columns.ts'
import { integerAt, maybeIntegerAt, maybeTextAt, textAt } from './row-values.ts'

/** One transfer, with the block and transaction it lies in. */
export type TransferRow = {
  readonly pos: number
  readonly txIndex: number
  readonly logIndex: number
  /** A value of `transferKinds` in the codec. */
  readonly kind: number
  readonly tokenId: number
  readonly fromId: number
  readonly toId: number
  /** `0x` hex, like all of the following that are text; zero is `0x`. */
  readonly value: string
  /** Token id of an NFT. */
  readonly item: string | undefined
  readonly blockHash: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly timestampMs: number | undefined
  readonly txHash: string
}

/** What {@link transferRow} reads: `t` is the transfer, `b` its block, `x` its transaction. */
export function transferSelection(hex: AsHex, maybeHex: AsHex): string {
  return (
    't.pos, t.tx_index, t.log_index, t.kind, t.token_id, t.from_id, t.to_id, ' +
    `${hex('b.hash || x.hash || t.value')}, ${maybeHex('t.item')}, b.timestamp, b.timestamp_ms`
  )
}

/** Finds block and transaction of a transfer `t`. */
export const transferPlace =
  'join block b on b.height = t.pos / 1048576 ' +
  'join tx x on x.pos = t.pos / 1048576 * 1048576 + t.tx_index'

/** A row of {@link transferSelection}. */
export function transferRow(row: Row): TransferRow {
  // Three byte strings in one column: 32 bytes, 32 bytes, the rest. Calls cost more than cutting.
  const texts = textAt(row, 7)
  return {
    pos: integerAt(row, 0),
    txIndex: integerAt(row, 1),
    logIndex: integerAt(row, 2),
    kind: integerAt(row, 3),
    tokenId: integerAt(row, 4),
    fromId: integerAt(row, 5),
    toId: integerAt(row, 6),
    value: `0x${texts.slice(130)}`,
    item: maybeTextAt(row, 8),
    blockHash: texts.slice(0, 66),
    timestamp: integerAt(row, 9),
    timestampMs: maybeIntegerAt(row, 10),
    txHash: `0x${texts.slice(66, 130)}`,
  }
}
