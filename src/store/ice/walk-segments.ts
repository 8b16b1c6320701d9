/**
 * Rows of segments that answer a statement, as its plan says.
 *
 * Rows of the history are taken some at a time, the other tables are joined to all of these at once,
 * and what does not meet the conditions is left out, until enough are found.
 */

import { assert, Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import type { Reader, Row, Value } from '../engine/database.ts'
import { columnNames, type HistoryStage, stageOf, type Table } from '../engine/table.ts'
import { placesPerBlock } from '../schema/places.ts'
import type { SegmentTables } from './awaited-segment.ts'
import type { Cells, Get } from './expressions.ts'
import type { Path, Plan, Source } from './plan.ts'
import { RunningTotals } from './running-amounts.ts'
import type { FrozenTable } from './segment.ts'

/** A segment and the heights it is of, half-open. */
export type SegmentRange = {
  readonly segment: SegmentTables
  readonly from: number
  readonly until: number
}

/** Segments of each stage; those of one in order of height, without gaps. */
export type HistoryRanges = Readonly<Record<HistoryStage, readonly SegmentRange[]>>

/** Segments and hot rows that a statement is asked of, and its parameters. */
export type Asked = {
  readonly ranges: HistoryRanges
  /** Rows of tables, without segments. */
  readonly reader: Reader
  readonly parameters: readonly Value[]
  /** Answers wanted at most. */
  readonly limit: number
}

/** An answer: what is selected, what it is ordered by, and its key in a table of firsts. */
export type FoundRow = { readonly selected: Row; readonly order: Row; readonly key?: string }

/** Means of reading rows. */
type Ways = {
  /** Of a table whose amounts run. */
  readonly totals: RunningTotals | undefined
}

/** Rows of the history taken at once: a page and what it leaves out, then more each time. */
const firstChunk = 16
const mostChunk = 2_048

/** Answers of a plan in the segments, in the order of its walk. */
export async function walkSegments(plan: Plan, asked: Asked): Promise<FoundRow[]> {
  const segments = asked.ranges[plan.stage]
  const ways = { totals: plan.running && totalsOf(plan.running.table, segments) }
  if (plan.walk !== 'key')
    return walk(plan, asked, {
      ...ways,
      ranges: plan.walk === 'newest' ? segments.toReversed() : segments,
    })
  // The first answers of all are among the first ones of each.
  const found: FoundRow[] = []
  for (const range of segments)
    for (const row of await walk(plan, asked, { ...ways, ranges: [range] })) found.push(row)
  return found
}

async function walk(
  plan: Plan,
  asked: Asked,
  { ranges, totals }: Ways & { readonly ranges: readonly SegmentRange[] },
): Promise<FoundRow[]> {
  const found: FoundRow[] = []
  let chunk = Math.min(mostChunk, Math.max(firstChunk, Math.min(asked.limit, mostChunk)))
  let waiting: Cells[][] = []
  const settle = async (): Promise<void> => {
    for (const bound of await joined(plan, asked, waiting)) {
      if (found.length >= asked.limit) break
      found.push(answerOf(plan, bound, asked.parameters))
    }
    waiting = []
    chunk = Math.min(mostChunk, chunk * 2)
  }
  for (const range of ranges) {
    for (const bound of historyIn(plan, range, { ...asked, totals })) {
      waiting.push(bound)
      if (waiting.length < chunk) continue
      await settle()
      if (found.length >= asked.limit) return found
    }
  }
  await settle()
  return found
}

/** Sums of a table whose amounts run, at the ends of segments. */
export function totalsOf(table: Table, ranges: readonly SegmentRange[]): RunningTotals {
  return new RunningTotals(
    table,
    ranges.map(({ segment }) => segment),
  )
}

function answerOf(plan: Plan, bound: readonly Cells[], parameters: readonly Value[]): FoundRow {
  const { firstOf } = plan
  const key = firstOf && { key: firstOf.map((get) => get(bound, parameters)).join(' ') }
  return {
    selected: plan.selected.map((get) => get(bound, parameters)),
    order: plan.order.map(({ value }) => value(bound, parameters)),
    ...key,
  }
}

// Gives rows of the table of history in a segment, with those of the tables before it.
function* historyIn(plan: Plan, range: SegmentRange, asked: Asked & Ways): Generator<Cells[]> {
  const { parameters, totals } = asked
  const piece = asked.ranges[plan.stage].indexOf(range)
  const source = itemAt(plan.sources, plan.history)
  if (plan.history === 0) {
    yield* rowsIn(source, range, { bound: [], parameters, plan, totals, piece })
    return
  }
  const list = itemAt(plan.sources, 0).list
  if (list === undefined || plan.history > 1)
    throw new Fault('store-failed', 'segments begin with a table of history, or a list')
  for (const value of valuesOf(list([], parameters)))
    yield* rowsIn(source, range, {
      bound: [{ cell: () => value }],
      parameters,
      plan,
      totals: undefined,
      piece,
    })
}

function valuesOf(list: Value): number[] {
  const values: unknown = JSON.parse(String(list))
  assert(Array.isArray(values), 'a list is a JSON array')
  return values.map(Number)
}

type Context = {
  readonly bound: readonly Cells[]
  readonly parameters: readonly Value[]
  readonly plan: Plan
  /** Number of the segment. */
  readonly piece: number
} & Ways

function* rowsIn(
  source: Source,
  { segment, from, until }: SegmentRange,
  { bound, parameters, plan, totals, piece }: Context,
): Generator<Cells[]> {
  const { path, table } = source
  assert(path !== undefined && table !== undefined, 'a table of history has a way to its rows')
  const shape = segment.table(path.shape.name)
  if (shape === undefined) return
  const span = { from: from * scaleOf(plan), until: until * scaleOf(plan) }
  const [low, high] = rowRange(path, shape, { bound, parameters, span })
  const own = segment.table(table.name)
  const isBackwards = plan.walk === 'newest'
  const isEnds = plan.isEnds && high - low > 2
  for (let step = 0; step < (isEnds ? 2 : high - low); step++) {
    const row = isEnds ? (step === 0 ? low : high - 1) : isBackwards ? high - 1 - step : low + step
    const cells =
      totals === undefined ? rowOf(path, shape, { own, row }) : totals.cellsOf(shape, row, piece)
    if (cells === undefined) continue
    const next = [...bound, cells]
    if (source.tests.every((test) => test(next, parameters))) yield next
  }
}

function scaleOf({ isByHeight }: Plan): number {
  return isByHeight ? 1 : placesPerBlock
}

/** The row of a table; an index leads to it by the columns of its key. */
function rowOf(
  { shape }: Path,
  table: FrozenTable,
  { own, row }: { readonly own: FrozenTable | undefined; readonly row: number },
): Cells {
  const cells = table.row(row)
  if (shape.leadsTo === undefined) return cells
  assert(own !== undefined, 'an index lies beside its table')
  const indexed = shape.keyLength - own.shape.keyLength
  const key = Array.from({ length: own.shape.keyLength }, (_, at) =>
    Number(cells.cell(indexed + at)),
  )
  return own.row(own.lowerBound(key))
}

type Limits = {
  readonly bound: readonly Cells[]
  readonly parameters: readonly Value[]
  readonly span?: { readonly from: number; readonly until: number }
}

/** Numbers of the rows on a path, half-open. */
function rowRange(path: Path, table: FrozenTable, limits: Limits): readonly [number, number] {
  const { bound, parameters, span } = limits
  const prefix = prefixOf(path, table, limits)
  if (prefix === undefined) return [0, 0]
  if (prefix.length === path.shape.keyLength)
    return [table.lowerBound(prefix), table.lowerBound(nextPrefix(prefix))]
  const of = (get: Get): number => Number(get(bound, parameters))
  // Only the last column of a key says where in history a row is.
  const isPlace = prefix.length === path.placeAt && span !== undefined
  let low = isPlace ? span.from : Number.NEGATIVE_INFINITY
  let high = isPlace ? span.until : Number.POSITIVE_INFINITY
  for (const { value, isStrict } of path.low) low = Math.max(low, of(value) + (isStrict ? 1 : 0))
  for (const { value, isStrict } of path.high) high = Math.min(high, of(value) + (isStrict ? 0 : 1))
  if (low >= high) return [0, 0]
  const first = table.lowerBound(Number.isFinite(low) ? [...prefix, low] : prefix)
  const end = Number.isFinite(high)
    ? table.lowerBound([...prefix, high])
    : prefix.length === 0
      ? table.rows
      : table.lowerBound(nextPrefix(prefix))
  return [first, Math.max(first, end)]
}

/**
 * Values of the first columns of a key; `undefined` where no row has them: one is NULL, or the filter of
 * the table, which is asked before any row is read, does not have the first one.
 */
function prefixOf(
  { equal }: Path,
  table: FrozenTable,
  { bound, parameters }: Limits,
): number[] | undefined {
  const prefix: number[] = []
  for (const get of equal) {
    const value = get(bound, parameters)
    if (value === null) return undefined
    prefix.push(Number(value))
  }
  const [first] = prefix
  return first === undefined || table.mayKnow(first) ? prefix : undefined
}

function nextPrefix(prefix: readonly number[]): number[] {
  const last = prefix.length - 1
  return [...prefix.slice(0, last), itemAt(prefix, last) + 1]
}

/** `bounds` with rows of the tables after the history; without those that have none. */
async function joined(
  plan: Plan,
  asked: Asked,
  bounds: readonly Cells[][],
): Promise<readonly Cells[][]> {
  let now = bounds
  for (const source of plan.sources.slice(plan.history + 1)) {
    if (now.length === 0) return now
    now = await joinedWith(source, asked, now)
  }
  return now
}

async function joinedWith(
  source: Source,
  asked: Asked,
  bounds: readonly Cells[][],
): Promise<Cells[][]> {
  const { key, table, isLeft, tests, path } = source
  if (table === undefined || key === undefined)
    throw new Fault('store-failed', 'segments join other tables by their whole key')
  const keys = bounds.map((bound) => key.map((get) => get(bound, asked.parameters)))
  const rows =
    path === undefined
      ? await storedRows(asked.reader, table, keys)
      : await historyRows(asked, table, keys)
  const result: Cells[][] = []
  for (const [at, bound] of bounds.entries()) {
    const next = [...bound, rows[at]]
    if (rows[at] !== undefined && tests.every((test) => test(next, asked.parameters)))
      result.push(next)
    else if (isLeft) result.push([...bound, undefined])
  }
  return result
}

/** Rows by their keys in tables. */
async function storedRows(reader: Reader, table: Table, keys: readonly Row[]): Promise<Cells[]> {
  const places = keys.flatMap((key, at) => (key.includes(null) ? [] : [at]))
  if (places.length === 0) return []
  const columns = table.key.map((_, column) => places.map((at) => itemAt(itemAt(keys, at), column)))
  const found = await reader.lookup({ table, key: table.key, select: columnNames(table) }, columns)
  const cells: Cells[] = []
  for (const [at, place] of places.entries()) {
    const row = found[at]
    cells[place] = row === undefined ? undefined : { cell: (column) => itemAt(row, column) }
  }
  return cells
}

/** Rows by their keys in segments, and else in tables. */
async function historyRows(
  { ranges, reader }: Asked,
  table: Table,
  keys: readonly Row[],
): Promise<Cells[]> {
  const cells: Cells[] = []
  const others: number[] = []
  const stage = stageOf(table)
  const segments = stage === undefined ? [] : ranges[stage]
  const placeAt = table.key.length - 1
  const scale = table.key[placeAt] === 'pos' ? placesPerBlock : 1
  for (const [at, key] of keys.entries()) {
    if (key.includes(null)) continue
    const height = Math.floor(Number(itemAt(key, placeAt)) / scale)
    const range = segmentAt(segments, height)
    if (range === undefined) others.push(at)
    else cells[at] = frozenRow(range.segment, table, key.map(Number))
  }
  if (others.length === 0) return cells
  const stored = await storedRows(
    reader,
    table,
    others.map((at) => itemAt(keys, at)),
  )
  for (const [at, place] of others.entries()) cells[place] = stored[at]
  return cells
}

/** The segment that has a height. */
export function segmentAt(
  segments: readonly SegmentRange[],
  height: number,
): SegmentRange | undefined {
  let low = 0
  let high = segments.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (itemAt(segments, middle).until <= height) low = middle + 1
    else high = middle
  }
  const range = segments[low]
  return range !== undefined && range.from <= height ? range : undefined
}

/** The row of a table with a key in a segment. */
export function frozenRow(segment: SegmentTables, { name }: Table, key: readonly number[]): Cells {
  const table = segment.table(name)
  if (table === undefined || !table.mayKnow(itemAt(key, 0))) return undefined
  const row = table.lowerBound(key)
  if (row >= table.rows) return undefined
  const cells = table.row(row)
  return key.every((value, column) => cells.cell(column) === value) ? cells : undefined
}
