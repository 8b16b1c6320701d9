/** Transfers of a token contract. */

import type { Reader } from '../../engine/database.ts'
import type { PosRange } from './position.ts'
import { transferPlace, transferRow, type TransferRow } from './transfer-row.ts'

const question = transferRow.statement(
  (columns) => `select ${columns}
   from transfer_by_token a
   join transfer t on t.pos = a.pos
   ${transferPlace}
   where a.token_id = ? and a.pos >= ? and a.pos < ?
   order by a.pos desc limit ?`,
)

/**
 * Transfers of a token contract inside `range`, of every standard it logged, newest first.
 *
 * Cost: one range scan of `transfer_by_token`, and three look-ups by key per row.
 */
export async function transfersOfToken(
  store: Reader,
  query: { readonly tokenId: number; readonly range: PosRange; readonly limit: number },
): Promise<TransferRow[]> {
  const { tokenId, range, limit } = query
  const rows = await store.all(question, [tokenId, range.from, range.until, limit])
  return rows.map(transferRow.read)
}
