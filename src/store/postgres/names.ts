/**
 * Statements over the tables of one namespace.
 *
 * Statements name tables alone, as SQLite has them. PostgreSQL could find them by `search_path`, but
 * a pooler drops that with the session: tables of all chains would be one. So the namespace is
 * written before every name of a table.
 */

import { Fault } from '../../core/fault.ts'

/** Name of the namespace of a store. Throws `bad-config` when it would be cut short. */
export function namespaceOf(name: string): string {
  const namespace = `firn_${name.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_')}`
  // PostgreSQL silently cuts identifiers at 63 bytes.
  if (namespace.length > 63) throw new Fault('bad-config', `store name is too long: ${name}`)
  return namespace
}

/** Texts of one store. They are constants of the product, so they end at their number. */
export class StoreNames {
  readonly #namespace: string
  readonly #texts = new Map<string, string>()
  readonly #questions = new Map<string, string>()

  constructor(namespace: string) {
    this.#namespace = namespace
  }

  /** `sql` with the namespace before every table. */
  of(sql: string): string {
    return kept(this.#texts, sql, () => qualified(sql, this.#namespace))
  }

  /** The same of a question or change, with its parameters numbered. */
  question(sql: string): string {
    return kept(this.#questions, sql, () => numbered(qualified(sql, this.#namespace)))
  }
}

function kept(texts: Map<string, string>, sql: string, make: () => string): string {
  const known = texts.get(sql)
  if (known !== undefined) return known
  const text = make()
  texts.set(sql, text)
  return text
}

/** After these words a table is named, and after the first two also behind each comma. */
const beforeTable: ReadonlySet<string> = new Set(['from', 'using', 'join', 'into', 'update'])
const beforeList: ReadonlySet<string> = new Set(['from', 'using'])
/** These words end a list of tables. */
const afterList: ReadonlySet<string> = new Set(
  (
    'where group order having limit offset fetch union except intersect set values select ' +
    'returning window for do with'
  ).split(' '),
)
/** These words stand between such a word and the name. */
const between: ReadonlySet<string> = new Set(['only', 'lateral', 'if', 'not', 'exists'])
/** These make another word of the one that follows: `is distinct from`, `for update`, `do update`. */
const joined: ReadonlySet<string> = new Set(['distinct', 'for', 'do'])
/** Relations of PostgreSQL and Citus. */
const foreign = /^(pg_|citus_)/

const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[a-z_][\w.]*|\s+|[^]/gi
const expressions = /([a-z_]\w*)\s*(?:\([^()]*\))?\s+as\s+(?:(?:not\s+)?materialized\s+)?\(/gi
const definition = /^\s*(create|alter|drop|truncate|copy)\b/i

/** Where in a statement, or in parentheses of it, the reading is. */
type Place = { expectsTable: boolean; isList: boolean }

/**
 * `sql` with `namespace` before every name of a table, in questions, changes and definitions of
 * tables and indexes. Names of its common table expressions stay.
 */
export function qualified(sql: string, namespace: string): string {
  const own = new Set([...sql.matchAll(expressions)].map(([, name = '']) => name.toLowerCase()))
  const defines = definition.exec(sql)?.[1]?.toLowerCase()
  const all = sql.match(tokens) ?? []
  const outer: Place = { expectsTable: false, isList: false }
  const places = [outer]
  let last = ''
  return all
    .map((token, at) => {
      const place = places.at(-1) ?? outer
      if (!/^[a-z_]/i.test(token)) {
        punctuate(token, place, places)
        return token
      }
      const word = token.toLowerCase()
      const before = last
      last = word
      const opens = (all[at + 1]?.trim() === '' ? all[at + 2] : all[at + 1]) === '('
      if (!place.expectsTable || afterList.has(word)) {
        read(word, place, { before, opens, defines })
        return token
      }
      if (between.has(word)) return token
      place.expectsTable = false
      const isFunction = opens && before !== 'into' && defines === undefined
      const isTable = !isFunction && !own.has(word) && !/\./.test(word) && !foreign.test(word)
      return isTable ? `"${namespace}".${token}` : token
    })
    .join('')
}

function punctuate(token: string, place: Place, places: Place[]): void {
  if (token === '(') {
    places.push({ expectsTable: place.expectsTable, isList: false })
    place.expectsTable = false
  } else if (token === ')') places.pop()
  else if (token === ',' && place.isList) place.expectsTable = true
}

/** Notes what a word says of the next one. */
function read(
  word: string,
  place: Place,
  around: {
    readonly before: string
    /** True when a parenthesis follows: `using (id)` names columns. */
    readonly opens: boolean
    readonly defines: string | undefined
  },
): void {
  const { before, opens, defines } = around
  if (defines !== undefined) place.expectsTable = namesRelation(word, defines)
  else if (beforeTable.has(word) && !joined.has(before) && !(word === 'using' && opens)) {
    place.expectsTable = true
    place.isList ||= beforeList.has(word)
  } else if (afterList.has(word)) {
    place.expectsTable = false
    place.isList = false
  }
}

/** `create table …`, `create index … on …`, `drop index …`, `truncate …`, `copy …`. */
function namesRelation(word: string, defines: string): boolean {
  if (word === 'on') return defines === 'create'
  if (word === 'index') return defines !== 'create'
  return word === 'table' || word === 'truncate' || word === 'copy'
}

/** `sql` with `$1`, `$2` … for its question marks; those inside quotes stay. */
function numbered(sql: string): string {
  let text = ''
  let count = 0
  let quote = ''
  for (const letter of sql) {
    if (quote !== '') {
      if (letter === quote) quote = ''
    } else if (letter === "'" || letter === '"') quote = letter
    text += letter === '?' && quote === '' ? `$${++count}` : letter
  }
  return text
}
