/** Tokens of a chain by their names. */

import type { Reader } from '../../engine/database.ts'
import { integer, type RowOf, storedRow, text } from '../stored-row.ts'

/** A token whose name or symbol fits; what it does not have is empty. */
const namedRow = storedRow({
  id: integer('id'),
  standard: integer('standard'),
  name: text("coalesce(name, '')"),
  symbol: text("coalesce(symbol, '')"),
})
/** Such a token. */
export type NamedToken = RowOf<typeof namedRow>

const question = namedRow.statement(
  (columns) => `select ${columns} from token where symbol in (?, ?, ?, ?) and spam = 0
   union
   select ${columns} from token where name in (?, ?, ?, ?) and spam = 0
   order by 1 limit ?`,
)

/**
 * Tokens with this name or symbol, as written, in capitals, in small letters or with a capital at
 * the head of each word; the oldest first. Tokens marked as spam are left out. Cost: four seeks of
 * `token_by_symbol` and of `token_by_name`.
 */
export async function tokensNamed(
  store: Reader,
  text: string,
  limit: number,
): Promise<NamedToken[]> {
  const small = text.toLowerCase()
  const headed = small.replace(/(?<=^| )\S/g, (letter) => letter.toUpperCase())
  const forms = [text, text.toUpperCase(), small, headed]
  const rows = await store.all(question, [...forms, ...forms, limit])
  return rows.map(namedRow.read)
}
