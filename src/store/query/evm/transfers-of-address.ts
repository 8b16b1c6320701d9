/** Token transfers of an address. */

import type { Reader, Statement } from '../../engine/database.ts'
import { type Direction, overOf, type PosRange } from './position.ts'
import { transferPlace, transferRow, type TransferRow } from './transfer-row.ts'

const question = (direction: Direction): Statement =>
  transferRow.statement(
    (columns) => `select ${columns}
   from transfer_by_address a
   join transfer t on t.pos = a.pos
   ${transferPlace}
   where a.address_id = ? and a.standard = ? and a.pos >= ? and a.pos < ?
   order by a.pos ${direction} limit ?`,
    { over: overOf[direction], within: { pos: [2, 3] } },
  )
const questions = { desc: question('desc'), asc: question('asc') }

/**
 * Transfers of one standard (20, 721, 1155) to or from an address inside `range`, newest first, or in `direction`,
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
    readonly direction?: Direction
  },
): Promise<TransferRow[]> {
  const { addressId, standard, range, limit, direction = 'desc' } = query
  const rows = await store.all(questions[direction], [
    addressId,
    standard,
    range.from,
    range.until,
    limit,
  ])
  return rows.map(transferRow.read)
}
