/** Logs of interchain messengers, from the store of a chain. */

import { type Reader, statement } from '../../engine/database.ts'
import { bytesAt, integerAt } from '../evm/row-values.ts'

/** One log with what is said of its transaction and block. */
export type MessengerLog = {
  readonly pos: number
  /** A value of `eventKinds` in the codec. */
  readonly kind: number
  readonly contract: Uint8Array
  /** Topics after the first, 32 bytes each. */
  readonly topics: Uint8Array
  readonly data: Uint8Array
  readonly txHash: Uint8Array
  readonly gasUsed: number
  /** Big-endian. */
  readonly gasPrice: Uint8Array
  /** Unix seconds. */
  readonly timestamp: number
}

// Kinds 2 to 7 of the codec: sends, fees, failures, executions, receptions, receipts.
const question = statement(
  `select e.pos, e.kind, c.bytes, e.topics, e.data, t.hash, t.gas_used, t.gas_price, b.timestamp
   from event e
   join address c on c.id = e.address_id
   join tx t on t.pos = e.pos - e.pos % 1048576 + e.tx_index
   join block b on b.height = e.pos / 1048576
   where e.pos >= ? and e.pos < ? and e.kind between 2 and 7
   order by e.pos
   limit ?`,
)

/**
 * Logs with `from <= pos < until`, oldest first, at most `limit`.
 *
 * Cost: a scan of the kept logs in the range, three look-ups by key for each.
 */
export async function messengerLogs(
  store: Reader,
  range: { readonly from: number; readonly until: number; readonly limit: number },
): Promise<MessengerLog[]> {
  const rows = await store.all(question, [range.from, range.until, range.limit])
  return rows.map((row) => ({
    pos: integerAt(row, 0),
    kind: integerAt(row, 1),
    contract: bytesAt(row, 2),
    topics: bytesAt(row, 3),
    data: bytesAt(row, 4),
    txHash: bytesAt(row, 5),
    gasUsed: integerAt(row, 6),
    gasPrice: bytesAt(row, 7),
    timestamp: integerAt(row, 8),
  }))
}
