/** Logs of interchain messengers, from the store of a chain. */

import { itemAt } from '../../../core/item-at.ts'
import type { Reader } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import { addressesOfIds } from '../evm/addresses.ts'
import { bytes, integer, type RowOf, storedRow } from '../stored-row.ts'

/** A log `e`, with what is said of its transaction `t` and block `b`. */
const logRow = storedRow({
  pos: integer('e.pos'),
  /** A value of `eventKinds` in the codec. */
  kind: integer('e.kind'),
  contractId: integer('e.address_id'),
  /** Topics after the first, 32 bytes each. */
  topics: bytes('e.topics'),
  data: bytes('e.data'),
  txHash: bytes('t.hash'),
  gasUsed: integer('t.gas_used'),
  /** Big-endian. */
  gasPrice: bytes('t.gas_price'),
  /** Unix seconds. */
  timestamp: integer('b.timestamp'),
})
/** One log. */
export type MessengerLog = Omit<RowOf<typeof logRow>, 'contractId'> & {
  readonly contract: Uint8Array
}

// Kinds 2 to 7 of the codec: sends, fees, failures, executions, receptions, receipts.
const question = logRow.statement(
  (columns) => `select ${columns} from event e
   join evm_transaction t on t.pos = e.pos - e.pos % ${placesPerBlock} + e.tx_index
   join evm_block b on b.height = e.pos / ${placesPerBlock}
   where e.pos >= ? and e.pos < ? and e.kind between 2 and 7
   order by e.pos limit ?`,
  { over: 'oldest', within: { pos: [0, 1] } },
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
  const logs = await logRow.all(store, question, [range.from, range.until, range.limit])
  const contracts = await addressesOfIds(
    store,
    logs.map(({ contractId }) => contractId),
  )
  return logs.map(({ contractId: _id, ...log }, at) => ({
    ...log,
    contract: itemAt(contracts, at),
  }))
}
