/** Facts about stored transactions of a range of blocks that their traces repeat. */

import { assert } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import type { Reader } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/places.ts'
import { bytes, integer, mapped, maybe, type RowOf, storedRow } from '../stored-row.ts'
import { addressesOfIds } from './address-id.ts'
import { heightOf } from './position.ts'

/** A transaction. */
const tracedRow = storedRow({
  height: mapped(integer('tx.pos'), heightOf),
  hash: bytes('tx.hash'),
  fromId: integer('tx.from_id'),
  toId: maybe(integer('coalesce(tx.to_id, tx.created_id)')),
  /** Big-endian, without leading zeros. */
  value: bytes('tx.value'),
  gasUsed: integer('tx.gas_used'),
})
/** One transaction. */
export type TracedRow = Omit<RowOf<typeof tracedRow>, 'fromId' | 'toId'> & {
  readonly from: Uint8Array
  /** Receiver, or in a creation the created contract; absent where there is none. */
  readonly to: Uint8Array | undefined
}

const question = tracedRow.statement(
  (columns) => `select ${columns} from tx where tx.pos >= ? and tx.pos < ? order by tx.pos`,
  { over: 'oldest', within: { pos: [0, 1] } },
)

/**
 * Transactions of heights `[from, until)` in order. Cost: one range of `tx`, two look-ups by key
 * for each.
 */
export async function tracedTransactions(
  store: Reader,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<TracedRow[]> {
  const rows = await store.all(question, [from * placesPerBlock, until * placesPerBlock])
  const txs = rows.map(tracedRow.read)
  const ids = [...new Set(txs.flatMap(({ fromId, toId = fromId }) => [fromId, toId]))]
  const addresses = await addressesOfIds(store, ids)
  const byId = new Map(ids.map((id, at) => [id, itemAt(addresses, at)]))
  return txs.map((tx) => {
    const sender = byId.get(tx.fromId)
    assert(sender !== undefined, 'every number was looked up')
    const { fromId: _from, toId, ...facts } = tx
    return { ...facts, from: sender, to: toId === undefined ? undefined : byId.get(toId) }
  })
}
