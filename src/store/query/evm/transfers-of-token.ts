/** Transfers of a token contract. */

import type { Reader, Statement } from '../../engine/database.ts'
import { type Direction, overOf, type PosRange } from './position.ts'
import { transferPlace, transferRow, type TransferRow } from './transfer-row.ts'

const question = (direction: Direction): Statement =>
  transferRow.statement(
    (columns) => `select ${columns}
   from transfer_by_token a
   join transfer t on t.pos = a.pos
   ${transferPlace}
   where a.token_id = ? and a.pos >= ? and a.pos < ?
   order by a.pos ${direction} limit ?`,
    { over: overOf[direction], within: { pos: [1, 2] } },
  )
const questions = { desc: question('desc'), asc: question('asc') }

/**
 * Transfers of a token contract inside `range`, of every standard it logged, newest first, or in `direction`.
 *
 * Cost: one range scan of `transfer_by_token`, and three look-ups by key per row.
 */
export async function transfersOfToken(
  store: Reader,
  query: {
    readonly tokenId: number
    readonly range: PosRange
    readonly limit: number
    readonly direction?: Direction
  },
): Promise<TransferRow[]> {
  const { tokenId, range, limit, direction = 'desc' } = query
  const rows = await store.all(questions[direction], [tokenId, range.from, range.until, limit])
  return rows.map(transferRow.read)
}
