/** A token transfer as the lists read it. */

import { placesPerBlock } from '../../schema/places.ts'
import { hash, hex, integer, maybe, type RowOf, storedRow } from '../stored-row.ts'

/** A transfer `t`, with its block `b` and transaction `x`. */
export const transferRow = storedRow({
  pos: integer('t.pos'),
  txIndex: integer('t.tx_index'),
  logIndex: integer('t.log_index'),
  /** A value of `transferKinds` in the codec. */
  kind: integer('t.kind'),
  tokenId: integer('t.token_id'),
  fromId: integer('t.from_id'),
  toId: integer('t.to_id'),
  /** `0x` hex, like all of the following that are text; zero is `0x`. */
  value: hex('t.value'),
  /** Token id of an NFT. */
  item: maybe(hex('t.item')),
  blockHash: hash('b.hash'),
  /** Unix seconds. */
  timestamp: integer('b.timestamp'),
  timestampMs: maybe(integer('b.timestamp_ms')),
  txHash: hash('x.hash'),
})
/** Row of {@link transferRow}. */
export type TransferRow = RowOf<typeof transferRow>

/** Finds block and transaction of a transfer `t`. */
export const transferPlace =
  `join block b on b.height = t.pos / ${placesPerBlock} ` +
  `join tx x on x.pos = t.pos / ${placesPerBlock} * ${placesPerBlock} + t.tx_index`
