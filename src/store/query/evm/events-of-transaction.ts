/** Kept logs of one transaction. */

import { type Reader, statement } from '../../engine/database.ts'
import { posPerBlock } from '../../schema/evm.ts'
import { heightOf, placeOf, posOfHeight } from './position.ts'
import { bytesAt, integerAt } from './row-values.ts'

/** One log. */
export type EventRow = {
  /** A value of `eventKinds` in the codec. */
  readonly kind: number
  /** Contract that logged it. */
  readonly address: Uint8Array
  /** Topics after the first, 32 bytes each. */
  readonly topics: Uint8Array
}

const question = statement(
  `select e.kind, c.bytes, e.topics
   from event e
   join address c on c.id = e.address_id
   where e.pos >= ? and e.pos < ? and e.tx_index = ?
   order by e.pos`,
)

/** Kept logs of the transaction at `txPos`, in order. Cost: a scan of the block's kept logs. */
export async function eventsOfTransaction(store: Reader, txPos: number): Promise<EventRow[]> {
  const from = posOfHeight(heightOf(txPos))
  const rows = await store.all(question, [from, from + posPerBlock, placeOf(txPos)])
  return rows.map((row) => ({
    kind: integerAt(row, 0),
    address: bytesAt(row, 1),
    topics: bytesAt(row, 2),
  }))
}
