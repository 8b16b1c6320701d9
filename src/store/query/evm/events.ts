/** Logs that a chain keeps for its own rows, by their transaction. */

import { itemAt } from '../../../core/item-at.ts'
import type { Reader } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import { bytes, integer, type RowOf, storedRow } from '../stored-row.ts'
import { addressesOfIds } from './addresses.ts'
import { heightOf, placeOf, posOfHeight } from './position.ts'

/** A log `e`. */
const eventRow = storedRow({
  /** A value of `eventKinds` in the codec. */
  kind: integer('e.kind'),
  addressId: integer('e.address_id'),
  /** Topics after the first, 32 bytes each. */
  topics: bytes('e.topics'),
  data: bytes('e.data'),
})
/** One log, and the contract that logged it. */
export type EventRow = Omit<RowOf<typeof eventRow>, 'addressId'> & { readonly contract: Uint8Array }

const question = eventRow.statement(
  (columns) => `select ${columns} from event e
   where e.pos >= ? and e.pos < ? and e.tx_index = ?
   order by e.pos`,
  { over: 'oldest', within: { pos: [0, 1] } },
)

/** Kept logs of the transaction at `txPos`, in order. Cost: a scan of the block's kept logs, a look-up each. */
export async function eventsOfTransaction(store: Reader, txPos: number): Promise<EventRow[]> {
  const from = posOfHeight(heightOf(txPos))
  const place = [from, from + placesPerBlock, placeOf(txPos)]
  const events = await eventRow.all(store, question, place)
  const addresses = await addressesOfIds(
    store,
    events.map(({ addressId }) => addressId),
  )
  return events.map(({ addressId: _id, ...event }, at) => ({
    ...event,
    contract: itemAt(addresses, at),
  }))
}
