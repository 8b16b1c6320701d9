/**
 * Columns of a list as a file.
 *
 * Columns follow from the shape of the items, never from rows: fields of inner objects get names with a dot,
 * inner lists are JSON in one column. Amounts (`x-decimals` of a shape) and moments have two columns: as the
 * API writes them, and for people.
 */

import { isObject, ownValue } from '../../core/json.ts'
import { withPoint } from '../../core/text.ts'
import type { Contract } from '../../shape/operations/contract.ts'
import type { MaybePromise } from '../../store/engine/database.ts'

/** A column of a file: its value of an item, and its type in Parquet. */
export type ListColumn = {
  readonly name: string
  readonly path: readonly string[]
  /** `date`: of Unix seconds; `coins`: of an amount in its smallest unit. */
  readonly type: 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'coins'
  /** Of `coins`: decimal places, or where an item says how many. */
  readonly decimals?: number | readonly string[]
}

/**
 * The list of an operation: its name in the body, the columns of its items, most items of a page.
 */
export type ListShape = {
  readonly name: string
  readonly columns: readonly ListColumn[]
  readonly mostItems: number | undefined
}

type Keywords = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, unknown>>
  readonly items?: unknown
  readonly anyOf?: readonly unknown[]
  readonly maximum?: number
  readonly 'x-decimals'?: number | string
}

function keywordsOf(schema: unknown): Keywords {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TypeBox schema is a JSON schema
  return (schema ?? {}) as Keywords
}

const pageName = 'nextPageToken'

/** The list of an operation; `undefined` where its body holds none, or several that could be meant. */
export function listShapeOf({ response, parameters }: Contract): ListShape | undefined {
  return listShapeIn(response, keywordsOf(parameters.query).properties?.['pageSize'])
}

/** The list in a response; a parameter `pageSize` gives the most items of it. */
export function listShapeIn(response: unknown, pageSize: unknown): ListShape | undefined {
  const entries = Object.entries(keywordsOf(response).properties ?? {})
  const lists = entries.filter(([, schema]) => keywordsOf(schema).type === 'array')
  // Lists of words beside a list of objects are notes on it, unless the body is a single thing.
  const isList = entries.length === lists.length || entries.some(([name]) => name === pageName)
  const ofObjects = lists.filter(
    ([, schema]) => keywordsOf(keywordsOf(schema).items).properties !== undefined,
  )
  const [list, another] = lists.length > 1 && isList ? ofObjects : lists
  if (list === undefined || another !== undefined) return undefined
  const [name, schema] = list
  const columns = columnsOf(keywordsOf(schema).items, [])
  return { name, columns, mostItems: keywordsOf(pageSize).maximum }
}

/** Columns of an item, or of a member of it. Of a union of items they are those of all it may be. */
function columnsOf(schema: unknown, path: readonly string[]): ListColumn[] {
  const words = keywordsOf(schema)
  const { properties, anyOf = [] } = words
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, inner]) => columnsOf(inner, [...path, name]))
  const each = anyOf.filter((one) => keywordsOf(one).type !== 'null')
  if (each.length === 1 || (each.length > 0 && path.length === 0)) {
    const columns = new Map<string, ListColumn>()
    for (const column of each.flatMap((one) => columnsOf(one, path)))
      if (!columns.has(column.name)) columns.set(column.name, column)
    return [...columns.values()]
  }
  return leafColumns(path.length === 0 ? ['value'] : path, words)
}

/** Texts of integers that have at most 63 bits. Amounts may have 256, and stay text. */
const integers: ReadonlySet<string> = new Set(['blockNumber', 'gasUsed', 'gasLimit', 'nonce'])

/**
 * Names of smallest units by the decimal places of a whole one; otherwise the item says how many.
 */
const unitNames: ReadonlyMap<number | string, string> = new Map([
  [18, 'Wei'],
  [9, 'NanoAvax'],
])

/** A value as it is; amounts and moments also in the form for people: whole coins, a date. */
function leafColumns(path: readonly string[], words: Keywords): ListColumn[] {
  const name = path.join('.')
  const isInteger = words.type === 'integer' || integers.has(path.at(-1) ?? '')
  const { type: json, 'x-decimals': places } = words
  const type = isInteger ? 'integer' : json === 'number' || json === 'boolean' ? json : 'text'
  if (places !== undefined) {
    // A text is the place of the number beside the amount; each `../` is an object further out.
    const steps = typeof places === 'number' ? [] : places.split('../')
    return [
      { name: name + (unitNames.get(places) ?? 'Units'), path, type },
      {
        name,
        path,
        type: 'coins',
        decimals:
          typeof places === 'number'
            ? places
            : [...path.slice(0, -steps.length), ...(steps.at(-1) ?? '').split('.')],
      },
    ]
  }
  const moment: ListColumn[] = /[tT]imestamp$/.test(name)
    ? [
        {
          name: name.replace(/Timestamp$/, 'Date').replace(/timestamp$/, 'date'),
          path,
          type: 'date',
        },
      ]
    : []
  return [{ name, path, type }, ...(isInteger ? moment : [])]
}

/** Writes a list as a file, a part at a time. */
export type ListFile = {
  readonly begin: () => string
  readonly rows: (items: readonly unknown[]) => MaybePromise<string | Uint8Array>
  /** The last part of the file. */
  readonly end: () => MaybePromise<string | Uint8Array>
  /** Gives back what the file holds besides memory. */
  readonly close?: () => void
}

/** A value for people: ISO 8601 in UTC of a moment, whole coins of an amount; `undefined` where an item has none. */
export function valueOf({ path, type, decimals = [] }: ListColumn, item: unknown): unknown {
  const value = valueAt(item, path)
  if (value === undefined || value === null || value === '') return undefined
  if (type === 'date') return new Date(Number(value) * 1_000).toISOString().replace('.000Z', 'Z')
  if (type !== 'coins') return value
  const places = typeof decimals === 'number' ? decimals : valueAt(item, decimals)
  if (places === null) return undefined
  // Of a union: an item that does not say it counts whole ones.
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return withPoint(BigInt(text), typeof places === 'number' ? places : 0)
}

function valueAt(item: unknown, path: readonly string[]): unknown {
  let value = item
  for (const name of path) {
    if (!isObject(value)) return path.length === 1 ? value : undefined
    value = ownValue(value, name)
  }
  return value
}
