/** Tokens of a chain by their names, whole or as they begin. */

import type { Reader, Statement } from '../../engine/database.ts'
import { integer, type RowOf, storedRow, text } from '../stored-row.ts'

/** A token whose name or symbol fits; what it does not have is empty. */
const namedRow = storedRow({
  id: integer('id'),
  standard: integer('standard'),
  name: text("coalesce(name, '')"),
  symbol: text("coalesce(symbol, '')"),
  /** 1 for a token marked as spam. */
  spam: integer('spam'),
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
  const forms = formsOf(text)
  const rows = await store.all(question, [...forms, ...forms, limit])
  return rows.map(namedRow.read)
}

/**
 * Spellings of a name: as it is, in capitals, in small letters, with capitals at heads of words.
 */
function formsOf(text: string): readonly [string, string, string, string] {
  const small = text.toLowerCase()
  const headed = small.replace(/(?<=^| )\S/g, (letter) => letter.toUpperCase())
  return [text, text.toUpperCase(), small, headed]
}

const beginning = {
  symbol: beginningBy('symbol'),
  name: beginningBy('name'),
} as const

function beginningBy(column: 'symbol' | 'name'): Statement {
  return namedRow.statement(
    (columns) => `select ${columns} from token where ${column} >= ? and ${column} < ?
     order by ${column}, id limit ?`,
  )
}

/** After every text that begins with the one before it. */
const last = '\u{10ffff}'

// Tokens marked as spam are skipped; the number of skipped rows must have a limit.
const mostRead = 100

/**
 * Tokens whose name or symbol begins with this text, written as for {@link tokensNamed}; the oldest
 * first, tokens marked as spam left out. Cost: a range of at most {@link mostRead} rows of both
 * indexes for each way of writing.
 */
export async function tokensBeginning(
  store: Reader,
  text: string,
  limit: number,
): Promise<NamedToken[]> {
  const found = new Map<number, NamedToken>()
  for (const form of new Set(formsOf(text)))
    for (const token of await tokensSpelled(store, form))
      if (token.spam === 0) found.set(token.id, token)
  return [...found.values()].toSorted((a, b) => a.id - b.id).slice(0, limit)
}

/** Tokens whose symbol or name begins with this spelling, those marked as spam too. */
async function tokensSpelled(store: Reader, form: string): Promise<NamedToken[]> {
  const limits = [form, form + last, mostRead]
  const bySymbol = await store.all(beginning.symbol, limits)
  const byName = await store.all(beginning.name, limits)
  return [...bySymbol, ...byName].map(namedRow.read)
}
