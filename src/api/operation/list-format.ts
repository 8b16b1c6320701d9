/**
 * Lists as CSV or as lines of JSON, for callers whose `Accept` asks for them.
 *
 * Columns follow from the shape of the items: fields of inner objects get names with a dot, inner
 * lists are JSON in one column, so that the columns of an operation never depend on its rows.
 */

import type { TSchema } from 'typebox'

import type { OperationShape } from './operation.ts'

/** Format of a list. */
export type ListFormat = 'csv' | 'ndjson'

/** Content types by format. Source: RFC 4180, github.com/ndjson/ndjson-spec. */
export const contentTypes = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
} as const

/** The format that `accept` asks for before JSON; `undefined` for JSON. */
export function formatOf(accept: string | undefined): ListFormat | undefined {
  for (const part of (accept ?? '').split(',')) {
    const [type = ''] = part.split(';')
    switch (type.trim().toLowerCase()) {
      case 'text/csv':
        return 'csv'
      case 'application/x-ndjson':
      case 'application/ndjson':
        return 'ndjson'
      case 'application/json':
      case '*/*':
        return undefined
      default:
    }
  }
  return undefined
}

/**
 * The list of an operation: its name in the body, the columns of its items, most items of a page.
 */
export type ListShape = {
  readonly name: string
  readonly columns: readonly string[][]
  readonly mostItems: number | undefined
}

type Keywords = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly maximum?: number
}

function keywordsOf(schema: TSchema | undefined): Keywords {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TypeBox schema is a JSON schema
  return (schema ?? {}) as Keywords
}

const pageName = 'nextPageToken'

/** The list of a shape; `undefined` where the body holds none, or several that could be meant. */
export function listShapeOf({ response, parameters }: OperationShape): ListShape | undefined {
  const entries = Object.entries(keywordsOf(response).properties ?? {})
  const lists = entries.filter(([, schema]) => keywordsOf(schema).type === 'array')
  // Lists of words beside a list of objects are notes on it, where the body is no single thing.
  const isList = entries.length === lists.length || entries.some(([name]) => name === pageName)
  const ofObjects = lists.filter(
    ([, schema]) => keywordsOf(keywordsOf(schema).items).properties !== undefined,
  )
  const [list, another] = lists.length > 1 && isList ? ofObjects : lists
  if (list === undefined || another !== undefined) return undefined
  const [name, schema] = list
  const { pageSize } = keywordsOf(parameters.query).properties ?? {}
  const columns = columnsOf(keywordsOf(schema).items, [])
  return { name, columns, mostItems: keywordsOf(pageSize).maximum }
}

function columnsOf(schema: TSchema | undefined, path: readonly string[]): string[][] {
  const { properties } = keywordsOf(schema)
  if (properties === undefined) return [path.length === 0 ? ['value'] : [...path]]
  return Object.entries(properties).flatMap(([name, inner]) => columnsOf(inner, [...path, name]))
}

/** First line of a file: names of the columns. */
export function headLine(format: ListFormat, { columns }: ListShape): string {
  return format === 'csv' ? `${columns.map((path) => quoted(path.join('.'))).join(',')}\r\n` : ''
}

/** Lines of items. */
export function linesOf(
  format: ListFormat,
  { columns }: ListShape,
  items: readonly unknown[],
): string {
  if (format === 'ndjson') return items.map((item) => `${JSON.stringify(item)}\n`).join('')
  return items
    .map((item) => `${columns.map((path) => cellOf(valueAt(item, path))).join(',')}\r\n`)
    .join('')
}

function valueAt(item: unknown, path: readonly string[]): unknown {
  let value = item
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return path.length === 1 ? value : undefined
    value = new Map(Object.entries(value)).get(name)
  }
  return value
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? quoted(harmless(value)) : quoted(JSON.stringify(value))
}

/**
 * Names of tokens are written by strangers: a text that a spreadsheet would run as a formula gets
 * an apostrophe before it. Numbers stay as they are.
 */
function harmless(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
