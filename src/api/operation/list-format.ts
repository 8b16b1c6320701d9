/** Lists as files: CSV, lines of JSON, Parquet. */

import { Fault } from '../../core/fault.ts'
import { type ListColumn, type ListFile, valueOf } from './list-columns.ts'

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
 * The format that the parameter `format` says, else the one that `accept` prefers to JSON;
 * `undefined` for JSON. Throws `bad-parameter`.
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

type Columns = readonly ListColumn[]

/** A file of `columns`. What Parquet needs is loaded when it is needed. */
export async function listFile(format: ListFormat, columns: Columns): Promise<ListFile> {
  if (format === 'parquet') return (await import('./parquet-list.ts')).parquetList(columns)
  const isCsv = format === 'csv'
  return {
    begin: () => (isCsv ? csvHead(columns) : ''),
    rows: (items) =>
      isCsv ? csvLines(columns, items) : items.map((item) => `${JSON.stringify(item)}\n`).join(''),
    end: () => Promise.resolve(''),
  }
}

/** First line of CSV: names of the columns. */
export function csvHead(columns: Columns): string {
  return `${columns.map(({ name }) => quoted(name)).join(',')}\r\n`
}

/** Lines of items in CSV. */
export function csvLines(columns: Columns, items: readonly unknown[]): string {
  return items
    .map((item) => `${columns.map((column) => cellOf(valueOf(column, item))).join(',')}\r\n`)
    .join('')
}

function cellOf(value: unknown): string {
  if (value === undefined) return ''
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
