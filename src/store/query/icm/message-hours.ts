/** Messages counted by hour. */

import { type Reader, statement } from '../../engine/database.ts'
import { bytesAt, integerAt } from '../evm/row-values.ts'

/** An hour of one pair of blockchains; `hour` is its first second. */
export type MessageHour = {
  readonly hour: number
  readonly source: Uint8Array
  readonly destination: Uint8Array
  /** Sent for the first time, and received. */
  readonly sent: number
  readonly received: number
}

/** Which: bounds inclusive, ids optional. */
export type HourQuery = {
  /** 0 mainnet, 1 the test network. */
  readonly network: number
  readonly from: number
  readonly to: number
  readonly source?: Uint8Array
  readonly destination?: Uint8Array
}

const question = statement(
  `select hour, source_id, destination_id, sent, received from icm_hour
   where network = ? and hour between ? and ? and (? = 0 or source_id = ?)
     and (? = 0 or destination_id = ?)
   order by hour`,
)

/** Hours with messages, oldest first. Cost: one range, a row for each pair and hour with messages. */
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
  return rows.map((row) => ({
    hour: integerAt(row, 0),
    source: bytesAt(row, 1),
    destination: bytesAt(row, 2),
    sent: integerAt(row, 3),
    received: integerAt(row, 4),
  }))
}
