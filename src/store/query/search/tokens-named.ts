/** Tokens of a chain by words of their names. */

import type { Reader } from '../../engine/database.ts'
import { integer, type RowOf, storedRow, text } from '../stored-row.ts'

/** A token that has a word; what it does not have is empty. */
const namedRow = storedRow({
  id: integer('t.id'),
  standard: integer('t.standard'),
  name: text("coalesce(t.name, '')"),
  symbol: text("coalesce(t.symbol, '')"),
})
/** Such a token. */
export type NamedToken = RowOf<typeof namedRow>

// More words add nothing; names are anybody's text.
const mostWords = 16
const longestWord = 40

/** Words of a text, small letters. */
function wordsOf(text: string): string[] {
  const words = text
    .normalize('NFKC')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase().slice(0, longestWord))
  return [...new Set(words)].slice(0, mostWords)
}

/** Words by which a token is found; of WAVAX also the symbol without its first letter. */
function wordsOfToken(name: string, symbol: string): string[] {
  const bare = /^\p{L}\p{Lu}{3,}$/u.test(symbol) ? symbol.slice(1) : ''
  return wordsOf(`${symbol} ${bare} ${name}`)
}

/** Words of tokens as columns of `token_word`. */
export function wordColumns(
  tokens: readonly {
    readonly id: number
    readonly name: string | undefined
    readonly symbol: string | undefined
  }[],
): { readonly word: string[]; readonly token_id: number[] } {
  const pairs = tokens
    .flatMap(({ id, name, symbol }) =>
      wordsOfToken(name ?? '', symbol ?? '').map((word) => ({ word, id })),
    )
    .toSorted((a, b) => (a.word === b.word ? a.id - b.id : a.word < b.word ? -1 : 1))
  return { word: pairs.map(({ word }) => word), token_id: pairs.map(({ id }) => id) }
}

const question = namedRow.statement(
  (columns) => `select ${columns} from token_word w join token t on t.id = w.token_id
   where w.word >= ? and w.word < ? order by w.word, w.token_id limit ?`,
)

/** After every text that begins with the one before it. */
const last = '\u{10ffff}'

// Of a word that very many tokens have, the oldest are looked at.
const mostRead = 400

/**
 * Tokens that have every word of `text`, each at least its beginning; the oldest first.
 *
 * Cost: one range of the key of `token_word`, of at most {@link mostRead} rows, and a look-up of each.
 */
export async function tokensNamed(store: Reader, text: string): Promise<NamedToken[]> {
  const wanted = wordsOf(text)
  const [longest] = wanted.toSorted((a, b) => b.length - a.length)
  if (longest === undefined) return []
  const rows = await store.all(question, [longest, longest + last, mostRead])
  const found = new Map<number, NamedToken>()
  for (const row of rows) {
    const token = namedRow.read(row)
    const words = wordsOfToken(token.name, token.symbol)
    if (wanted.every((one) => words.some((word) => word.startsWith(one))))
      found.set(token.id, token)
  }
  return [...found.values()].toSorted((a, b) => a.id - b.id)
}
