/** Messages counted by hour. */

import type { Reader } from '../../engine/database.ts'
import { bytes, integer, type RowOf, storedRow } from '../stored-row.ts'

/** An hour of one pair of blockchains; `hour` is its first second. */
const hourRow = storedRow({
  hour: integer('hour'),
  source: bytes('source_id'),
  destination: bytes('destination_id'),
  /** Sent for the first time, and received. */
  sent: integer('sent'),
  received: integer('received'),
})
/** One hour. */
export type MessageHour = RowOf<typeof hourRow>

/** A range of hours, bounds inclusive, and optional ids. */
export type HourQuery = {
  /** 0 mainnet, 1 the test network. */
  readonly network: number
  readonly from: number
  readonly to: number
  readonly source?: Uint8Array | undefined
  readonly destination?: Uint8Array | undefined
}

const question = hourRow.statement(
  (columns) => `select ${columns} from icm_hour
   where network = ? and hour between ? and ? and (? = 0 or source_id = ?)
     and (? = 0 or destination_id = ?)
   order by hour`,
)

/**
 * Hours with messages, oldest first. Cost: one range, a row for each pair and hour with messages.
 */
export async function messageHours(store: Reader, query: HourQuery): Promise<MessageHour[]> {
  const { network, from, to, source, destination } = query
  const none = new Uint8Array()
  const rows = await store.all(question, [
    network,
    from,
    to,
    source === undefined ? 0 : 1,
    source ?? none,
    destination === undefined ? 0 : 1,
    destination ?? none,
  ])
  return rows.map(hourRow.read)
}
