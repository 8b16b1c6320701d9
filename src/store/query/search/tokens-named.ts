/** Tokens of a chain by their names. */

import { type Reader, statement } from '../../engine/database.ts'

/** A token whose name or symbol fits. */
export type NamedToken = {
  readonly id: number
  readonly standard: number
  readonly name: string
  readonly symbol: string
}

const question = statement(
  `select id, standard, name, symbol from token where symbol in (?, ?, ?) and spam = 0
   union
   select id, standard, name, symbol from token where name in (?, ?, ?) and spam = 0
   order by 1 limit ?`,
)

/**
 * Tokens with this name or symbol, as written, in capitals or in small letters; the oldest first.
 * Tokens marked as spam are left out. Cost: three seeks of `token_by_symbol` and of `token_by_name`.
 */
export async function tokensNamed(
  store: Reader,
  text: string,
  limit: number,
): Promise<NamedToken[]> {
  const forms = [text, text.toUpperCase(), text.toLowerCase()]
  const rows = await store.all(question, [...forms, ...forms, limit])
  return rows.map(([id, standard, name, symbol]) => ({
    id: Number(id),
    standard: Number(standard),
    name: String(name ?? ''),
    symbol: String(symbol ?? ''),
  }))
}
