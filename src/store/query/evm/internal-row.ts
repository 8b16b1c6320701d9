/** An internal transaction as the lists read it. */

import { placesPerBlock } from '../../schema/places.ts'
import { flag, hash, hex, integer, maybe, type RowOf, storedRow } from '../stored-row.ts'

/** A listed call frame `i`, with its block `b` and transaction `x`. */
export const internalRow = storedRow({
  pos: integer('i.pos'),
  txIndex: integer('i.tx_index'),
  /** A value of `frameKinds` in the codec. */
  kind: integer('i.kind'),
  fromId: integer('i.from_id'),
  /** `undefined` for a creation that failed. */
  toId: maybe(integer('i.to_id')),
  /** `0x` hex, like the hashes; zero is `0x`. */
  value: hex('i.value'),
  gasLimit: integer('i.gas_limit'),
  gasUsed: integer('i.gas_used'),
  reverted: flag('i.reverted'),
  blockHash: hash('b.hash'),
  /** Unix seconds. */
  timestamp: integer('b.timestamp'),
  timestampMs: maybe(integer('b.timestamp_ms')),
  txHash: hash('x.hash'),
})
/** Row of {@link internalRow}. */
export type InternalRow = RowOf<typeof internalRow>

/** Finds block and transaction of a frame `i`. */
export const internalPlace =
  `join block b on b.height = i.pos / ${placesPerBlock} ` +
  `join tx x on x.pos = i.pos / ${placesPerBlock} * ${placesPerBlock} + i.tx_index`
