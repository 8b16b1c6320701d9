/** Kept logs of one transaction. */

import type { Reader } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/places.ts'
import { bytes, integer, type RowOf, storedRow } from '../stored-row.ts'
import { heightOf, placeOf, posOfHeight } from './position.ts'

/** A log `e` and the contract `c` that logged it. */
const eventRow = storedRow({
  /** A value of `eventKinds` in the codec. */
  kind: integer('e.kind'),
  address: bytes('c.bytes'),
  /** Topics after the first, 32 bytes each. */
  topics: bytes('e.topics'),
})
/** One log. */
export type EventRow = RowOf<typeof eventRow>

const question = eventRow.statement(
  (columns) => `select ${columns} from event e join address c on c.id = e.address_id
   where e.pos >= ? and e.pos < ? and e.tx_index = ?
   order by e.pos`,
)

/** Kept logs of the transaction at `txPos`, in order. Cost: a scan of the block's kept logs. */
export async function eventsOfTransaction(store: Reader, txPos: number): Promise<EventRow[]> {
  const from = posOfHeight(heightOf(txPos))
  const rows = await store.all(question, [from, from + placesPerBlock, placeOf(txPos)])
  return rows.map(eventRow.read)
}
