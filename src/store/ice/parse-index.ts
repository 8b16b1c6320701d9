/**
 * Reads the index of a segment and checks it: a file that somebody made by hand, and whose hashes fit,
 * can lead a reader to no place outside of it and into no endless work.
 */

import { Fault } from '../../core/fault.ts'
import { isObject, jsonOf } from '../../core/json.ts'
import { isChunkCount } from './id-filter.ts'
import { rowsPerGroup } from './packed-rows.ts'
import type { ColumnForm } from './row-columns.ts'
import type {
  Extent,
  SegmentFormat,
  SegmentIndex,
  SegmentSubject,
  SegmentTable,
} from './segment-index.ts'

/** Fences of five levels lead to 2^48 rows: places in history are below 2^53. */
const mostLevels = 5

/**
 * The index in `text` of a file whose trailer says `format`, and whose tables have `dataBytes`, one after
 * another from its first byte on. Throws `store-failed`.
 */
export function parseIndex(
  text: Uint8Array,
  { format, dataBytes }: { readonly format: SegmentFormat; readonly dataBytes: number },
): SegmentIndex {
  const index = jsonOf(text)
  if (!isObject(index) || !Array.isArray(index['tables'])) throw wrong('its form')
  if (index['format'] !== format) throw wrong('format')
  let end = 0
  const tables = index['tables'].map((each: unknown) => {
    const table = tableOf(each)
    if (table.section.offset !== end) throw wrong(`the place of table ${table.name}`)
    end += table.section.length
    return table
  })
  if (end !== dataBytes) throw wrong('the size of its tables')
  if (new Set(tables.map(({ name }) => name)).size < tables.length) throw wrong('names of tables')
  return { ...subjectOf(index), format, tables }
}

type Members = Readonly<Record<string, unknown>>

function subjectOf(index: Members): SegmentSubject {
  const from = wholeOf(index, 'from')
  const until = wholeOf(index, 'until')
  if (from >= until) throw wrong('its heights')
  return {
    store: textOf(index, 'store'),
    genesisHash: textOf(index, 'genesisHash'),
    from,
    until,
    parentHash: textOf(index, 'parentHash'),
    lastHash: textOf(index, 'lastHash'),
    firn: textOf(index, 'firn'),
  }
}

function tableOf(table: unknown): SegmentTable {
  if (!isObject(table)) throw wrong('a table')
  const name = textOf(table, 'name')
  const columns = listOf(table, 'columns').filter((each) => typeof each === 'string')
  const forms = listOf(table, 'forms').filter(isForm)
  const keyLength = wholeOf(table, 'keyLength')
  const isKeyed = keyLength > 0 && keyLength <= columns.length && columns.length === forms.length
  if (!isKeyed || forms.slice(0, keyLength).includes('bytes')) throw wrong(`columns of ${name}`)
  if (columns.length !== listOf(table, 'columns').length) throw wrong(`columns of ${name}`)
  const groupRows = wholeOf(table, 'groupRows')
  if (groupRows === 0 || groupRows > rowsPerGroup) throw wrong(`the groups of ${name}`)
  const section = sectionOf(table['section'])
  const shape = { name, columns, forms, keyLength, groupRows, section }
  const leadsTo = table['leadsTo'] === undefined ? {} : { leadsTo: textOf(table, 'leadsTo') }
  const kind = { ...leadsTo, ...kindOf(table) }
  return { ...shape, ...kind, ...treeOf(table, shape), ...filterOf(table, shape) }
}

function kindOf({ freezes }: Members): Pick<SegmentTable, 'freezes'> {
  if (freezes === undefined) return {}
  if (freezes === 'running' || freezes === 'firsts') return { freezes }
  throw wrong('the kind of a table')
}

function treeOf(
  table: Members,
  { section, groupRows }: Pick<SegmentTable, 'section' | 'groupRows'>,
): Pick<SegmentTable, 'rows' | 'levels' | 'root'> {
  const rows = wholeOf(table, 'rows')
  const levels = wholeOf(table, 'levels')
  if (rows === 0 && table['root'] === undefined && levels === 0) return { rows, levels }
  const most = groupRows * rowsPerGroup ** levels
  const least = levels === 0 ? 1 : groupRows * rowsPerGroup ** (levels - 1) + 1
  if (levels > mostLevels || rows < least || rows > most) throw wrong('the number of rows')
  return { rows, levels, root: extentOf(table['root'], section) }
}

function filterOf(
  { filter }: Members,
  { section, forms }: Pick<SegmentTable, 'section' | 'forms'>,
): Pick<SegmentTable, 'filter'> {
  if (filter === undefined) return {}
  const extent = extentOf(filter, section)
  const chunks = isObject(filter) ? wholeOf(filter, 'chunks') : 0
  if (forms[0] !== 'integer' || !isChunkCount(chunks)) throw wrong('a filter')
  return { filter: { ...extent, chunks } }
}

function extentOf(extent: unknown, section: SegmentTable['section']): Extent {
  if (!isObject(extent)) throw wrong('a root')
  const offset = wholeOf(extent, 'offset')
  const length = wholeOf(extent, 'length')
  if (offset < section.offset || offset + length > section.offset + section.length)
    throw wrong('the place of a root')
  return { offset, length, crc: wholeOf(extent, 'crc') }
}

function sectionOf(section: unknown): SegmentTable['section'] {
  if (!isObject(section)) throw wrong('a section')
  const offset = wholeOf(section, 'offset')
  return { offset, length: wholeOf(section, 'length'), sha256: textOf(section, 'sha256') }
}

function isForm(form: unknown): form is ColumnForm {
  return form === 'integer' || form === 'place' || form === 'bytes'
}

function wholeOf(of: Members, name: string): number {
  const value = of[name]
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw wrong(name)
  return value
}

function textOf(of: Members, name: string): string {
  const value = of[name]
  if (typeof value !== 'string') throw wrong(name)
  return value
}

function listOf(of: Members, name: string): readonly unknown[] {
  const value = of[name]
  if (!Array.isArray(value)) throw wrong(name)
  return value
}

function wrong(what: string): Fault {
  return new Fault('store-failed', `index of the segment is not one that Firn writes: ${what}`)
}
