/**
 * Lists as files: CSV, lines of JSON, Parquet. The API and `firn export` write them by this page.
 *
 * Columns of the API follow from the shape of the items: fields of inner objects get names with a dot, inner
 * lists are JSON in one column, so that the columns of an operation never depend on its rows.
 */

import type { TSchema } from 'typebox'

import { Fault } from '../../core/fault.ts'
import type { OperationShape } from './operation.ts'

/** Formats of a list beside JSON. */
export const fileFormats = ['csv', 'ndjson', 'parquet'] as const

/** Format of a list. */
export type ListFormat = (typeof fileFormats)[number]

/**
 * Content types by format. Source: RFC 4180, github.com/ndjson/ndjson-spec,
 * iana.org/assignments/media-types/application/vnd.apache.parquet.
 */
export const contentTypes = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
} as const

const accepted: ReadonlyMap<string, ListFormat | undefined> = new Map([
  ['text/csv', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/vnd.apache.parquet', 'parquet'],
  ['application/json', undefined],
  ['*/*', undefined],
])

/**
 * The format that the parameter `format` says, else the one that `accept` asks for before JSON; `undefined`
 * for JSON. Throws `bad-parameter`.
 */
export function formatOf(accept: string | undefined, parameter?: unknown): ListFormat | undefined {
  if (parameter !== undefined && parameter !== 'json') {
    const format = fileFormats.find((known) => known === parameter)
    if (format === undefined)
      throw new Fault('bad-parameter', 'format must be json, csv, ndjson or parquet')
    return format
  }
  if (parameter !== undefined) return undefined
  const types = (accept ?? '')
    .split(',')
    .map((part) => part.replace(/;.*/, '').trim().toLowerCase())
  const first = types.find((type) => accepted.has(type))
  return first === undefined ? undefined : accepted.get(first)
}

/** A column of a file: where its value lies in an item, and its type in Parquet. */
export type ListColumn = {
  readonly path: readonly string[]
  /** `seconds`: Unix time as an integer; `moment`: ISO 8601. */
  readonly type: 'text' | 'integer' | 'number' | 'boolean' | 'seconds' | 'moment'
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

function columnsOf(schema: TSchema | undefined, path: readonly string[]): ListColumn[] {
  const { properties } = keywordsOf(schema)
  if (properties === undefined)
    return [listColumn(path.length === 0 ? ['value'] : path, keywordsOf(schema).type)]
  return Object.entries(properties).flatMap(([name, inner]) => columnsOf(inner, [...path, name]))
}

/** Texts of integers that have at most 63 bits. Amounts may have 256, and stay text. */
const integers: ReadonlySet<string> = new Set(['blockNumber', 'gasUsed', 'gasLimit', 'nonce'])

/** A column whose values have this type of JSON. */
export function listColumn(path: readonly string[], json: string | undefined): ListColumn {
  const name = path.at(-1) ?? ''
  if (json === 'integer') return { path, type: name.endsWith('Timestamp') ? 'seconds' : 'integer' }
  if (json === 'number' || json === 'boolean') return { path, type: json }
  return { path, type: integers.has(name) ? 'integer' : 'text' }
}

/** Writes a list as a file, a part at a time. */
export type ListFile = {
  readonly begin: () => string
  readonly rows: (items: readonly unknown[]) => string | Uint8Array
  /** The last part of the file. */
  readonly end: () => Promise<string | Uint8Array>
}

/** A file of `columns`. What Parquet needs is loaded when it is asked for. */
export async function listFile(
  format: ListFormat,
  { columns }: Pick<ListShape, 'columns'>,
): Promise<ListFile> {
  if (format === 'parquet') return (await import('./parquet-list.ts')).parquetList(columns)
  return {
    begin: () => headLine(format, { columns }),
    rows: (items) => linesOf(format, { columns }, items),
    end: () => Promise.resolve(''),
  }
}

/** First line of a file: names of the columns. */
export function headLine(
  format: ListFormat,
  { columns }: { readonly columns: readonly Pick<ListColumn, 'path'>[] },
): string {
  return format === 'csv'
    ? `${columns.map(({ path }) => quoted(path.join('.'))).join(',')}\r\n`
    : ''
}

/** Lines of items. */
export function linesOf(
  format: ListFormat,
  { columns }: { readonly columns: readonly Pick<ListColumn, 'path'>[] },
  items: readonly unknown[],
): string {
  if (format === 'ndjson') return items.map((item) => `${JSON.stringify(item)}\n`).join('')
  return items
    .map((item) => `${columns.map(({ path }) => cellOf(valueAt(item, path))).join(',')}\r\n`)
    .join('')
}

/** The value of an item at a path; `undefined` where it has none. */
export function valueAt(item: unknown, path: readonly string[]): unknown {
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
