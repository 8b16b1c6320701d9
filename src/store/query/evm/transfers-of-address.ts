/** Token transfers of an address. */

import type { Reader } from '../../engine/database.ts'
import type { PosRange } from './position.ts'
import { transferPlace, transferRow, type TransferRow } from './transfer-row.ts'

const question = transferRow.statement(
  (columns) => `select ${columns}
   from transfer_by_address a
   join transfer t on t.pos = a.pos
   ${transferPlace}
   where a.address_id = ? and a.standard = ? and a.pos >= ? and a.pos < ?
   order by a.pos desc limit ?`,
)

/**
 * Transfers of one standard (20, 721, 1155) to or from an address inside `range`, newest first,
 * each once.
 *
 * Cost: one range scan of `transfer_by_address`, and three look-ups by key per row.
 */
export async function transfersOfAddress(
  store: Reader,
  query: {
    readonly addressId: number
    readonly standard: 20 | 721 | 1155
    readonly range: PosRange
    readonly limit: number
  },
): Promise<TransferRow[]> {
  const { addressId, standard, range, limit } = query
  const rows = await store.all(question, [addressId, standard, range.from, range.until, limit])
  return rows.map(transferRow.read)
}
