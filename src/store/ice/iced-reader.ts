/**
 * One history over tables and segments: what reads here sees all of it, whatever is frozen.
 *
 * History only ever moves from tables into segments, in one commit. So whoever reads rows first and
 * the manifest afterwards misses nothing, and leaves out the rows that segments have by then. A page
 * of the newest entries that tables fill costs nothing more.
 */

import { assert } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import {
  type Column,
  type Lookup,
  type Reader,
  type Row,
  type Soon,
  statement,
  type Statement,
  type Value,
  valueAt,
} from '../engine/database.ts'
import { columnNames, type HistoryStage, stageOf, type Table } from '../engine/table.ts'
import { placesPerBlock } from '../schema/places.ts'
import { SegmentNeeded } from './awaited-segment.ts'
import { compareValues } from './expressions.ts'
import { placeColumn } from './frozen-shape.ts'
import type { HeldSegments, Ice } from './ice.ts'
import { frozenUntil } from './manifest.ts'
import type { Plan, Summary } from './plan.ts'
import { amountCells, amountOf, runningColumnsOf, type RunningTotals } from './running-amounts.ts'
import { summarized } from './summarize.ts'
import {
  type FoundRow,
  frozenRow,
  segmentAt,
  type SegmentRange,
  totalsOf,
  walkSegments,
} from './walk-segments.ts'

/** `reader` with the segments of `ice`. */
export function icedReader(reader: Reader, ice: Ice): Reader {
  const all = (question: Statement, parameters: readonly Value[] = []): Soon<Row[]> => {
    const plan = ice.planOf(question)
    if (plan === undefined) return reader.all(question, parameters)
    return answers({ reader, ice, plan, question, parameters })
  }
  return ice.serve({
    all,
    get: (question, parameters) => {
      if (ice.planOf(question) === undefined) return reader.get(question, parameters)
      return firstOf(all(question, parameters))
    },
    lookup: (lookup, keys) => {
      const { table, last, rowsOnly = false } = lookup
      if (table.freezes === undefined || rowsOnly) return reader.lookup(lookup, keys)
      assert(table.freezes !== 'firsts', `the oldest row of ${table.name} is found by a statement`)
      if (last !== undefined) return newestLookedUp({ reader, ice }, lookup, keys)
      return lookedUp({ reader, ice }, lookup, keys)
    },
  })
}

async function firstOf(rows: Soon<Row[]>): Promise<Row | undefined> {
  return (await rows)[0]
}

type Question = {
  readonly reader: Reader
  readonly ice: Ice
  readonly plan: Plan
  readonly question: Statement
  readonly parameters: readonly Value[]
}

async function answers(asked: Question): Promise<Row[]> {
  const { plan, question } = asked
  if (plan.summaries !== undefined) return summary(asked, plan.summaries)
  const rows = (await found(asked)).map(({ selected }) => selected)
  const result = plan.isDistinct ? distinct(rows) : rows
  return question.bigints ? result.map(withBigints) : result
}

/** Answers in tables and segments. */
async function found(asked: Question): Promise<FoundRow[]> {
  const { reader, ice, plan, parameters } = asked
  const limit = limitOf(asked)
  const isRunning = plan.running !== undefined
  for (;;) {
    const known = isRunning ? await ice.manifest(reader) : ice.known
    const stored = await storedRows(asked)
    const isEnough = stored.length >= limit && plan.walk !== 'oldest' && plan.order.length < 2
    if (isEnough && isInOrder(plan) && !isRunning) return stored
    const rows = await holding({ reader, ice }, async ({ ranges }) => {
      const own = ranges[plan.stage]
      const until = endOf(own)
      // An end of the history was taken back into tables meanwhile.
      if (until < frozenUntil(known, plan.stage)) return undefined
      // What is in tables counts from another height now.
      if (isRunning && until !== frozenUntil(known, plan.stage)) return undefined
      if (until === 0) return stored
      const later = stored.filter(({ height }) => height >= until)
      const hot = await wholeRows(asked, later, own)
      const most =
        plan.walk === 'newest' ? limit - hot.length : isWalkedInOrder(plan) ? limit : maxRows
      const walk = { ranges, reader, parameters, limit: most }
      return together(plan, { hot, frozen: await walkSegments(plan, walk), limit })
    })
    if (rows !== undefined) return rows
  }
}

/**
 * Does `work` with all segments held. Where it needs one that is not here, it is done again once that
 * was fetched. Throws `not-ready` where that takes too long.
 */
async function holding<T>(
  { reader, ice }: Pick<Question, 'reader' | 'ice'>,
  work: (held: HeldSegments) => Soon<T>,
): Promise<T> {
  for (;;) {
    const held = await ice.hold(reader)
    try {
      // What was fetched for it stays open meanwhile, whatever is removed to make room.
      return await doneOnceFetched(ice, () => work(held))
    } catch (error) {
      if (!(await ice.mayTryAgain(reader, held, error))) throw error
    } finally {
      held.release()
    }
  }
}

/** Does `work`, again after each segment that it needed was fetched. */
async function doneOnceFetched<T>(ice: Ice, work: () => Soon<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof SegmentNeeded)) throw error
      await ice.fetch(error.segment)
    }
  }
}

type Halves = {
  /** Of tables. */
  readonly hot: readonly FoundRow[]
  readonly frozen: readonly FoundRow[]
  readonly limit: number
}

function together(plan: Plan, { hot, frozen, limit }: Halves): FoundRow[] {
  if (plan.firstOf !== undefined) return firstsOf(plan, [...frozen, ...hot]).slice(0, limit)
  const all = plan.walk === 'oldest' ? [...frozen, ...hot] : [...hot, ...frozen]
  if (!isInOrder(plan)) all.sort((one, other) => compareOrder(plan, one, other))
  return all.length > limit ? all.slice(0, limit) : all
}

/** The oldest row of each key, in order; `rows` are those of segments in order of height, then others. */
function firstsOf(plan: Plan, rows: readonly FoundRow[]): FoundRow[] {
  const firsts = new Map<string, FoundRow>()
  for (const row of rows) {
    assert(row.key !== undefined, 'rows of firsts have keys')
    if (!firsts.has(row.key)) firsts.set(row.key, row)
  }
  return [...firsts.values()].toSorted((one, other) => compareOrder(plan, one, other))
}

const maxRows = Number.POSITIVE_INFINITY

function limitOf({ plan, parameters }: Question): number {
  // A whole key is that of one row.
  if (itemAt(plan.sources, plan.history).key !== undefined && plan.history === 0) return 1
  return plan.limit === undefined || plan.isDistinct ? maxRows : Number(plan.limit([], parameters))
}

/** Answers of tables come before or after all those of segments. */
function isInOrder({ walk, order }: Plan): boolean {
  return walk === 'newest' || walk === 'oldest' || order.length === 0
}

function isWalkedInOrder(plan: Plan): boolean {
  return plan.walk === 'key' || isInOrder(plan)
}

/** Sums: by the engine where nothing is frozen, else here over the rows of both. */
async function summary(asked: Question, summaries: readonly Summary[]): Promise<Row[]> {
  const { reader, ice, plan, question, parameters } = asked
  const stored = await reader.all(question, parameters)
  const known = await holding({ reader, ice }, async ({ ranges }) => {
    if (ranges[plan.stage].length === 0) return stored
    if (!plan.isEnds) return undefined
    const walk = { ranges, reader, parameters, limit: maxRows }
    const ends = await walkSegments(plan, walk)
    return summarized(summaries, [...stored, ...ends.map(({ selected }) => selected)])
  })
  if (known !== undefined) return known
  const rows = await found(asked)
  return summarized(
    summaries,
    rows.map(({ selected }) => selected),
  )
}

type StoredRow = FoundRow & {
  readonly height: number
  /** All of a table that does not freeze `whole`. */
  readonly columns: Row
}

async function storedRows({ reader, plan, parameters }: Question): Promise<StoredRow[]> {
  const rows = await reader.all(plan.rows, parameters)
  const columns = plan.selected.length
  const scale = plan.isByHeight ? 1 : placesPerBlock
  const at = columns + plan.order.length + 1
  const { firstOf } = plan
  return rows.map((row) => ({
    ...(firstOf && { key: row.slice(at, at + firstOf.length).join(' ') }),
    selected: row.slice(0, columns),
    order: row.slice(columns, columns + plan.order.length),
    height: Math.floor(Number(itemAt(row, columns + plan.order.length)) / scale),
    columns: row.slice(at),
  }))
}

/** `rows` of tables with the amounts that segments before them add. */
async function wholeRows(
  { reader, plan: { running } }: Question,
  rows: readonly StoredRow[],
  ranges: readonly SegmentRange[],
): Promise<readonly StoredRow[]> {
  if (running === undefined) return rows
  const { table, values, negatives } = running
  const totals = totalsOf(table, ranges)
  const whole: StoredRow[] = []
  for (const row of rows) {
    const amount = await wholeAmount(reader, { table, totals, row: row.columns })
    if (amount === undefined) continue
    const cells = amountCells(amount)
    const selected = row.selected.map((value, at) =>
      values.includes(at) ? cells[0] : negatives.includes(at) ? cells[1] : value,
    )
    whole.push({ ...row, selected })
  }
  return whole
}

type StoredAmount = {
  readonly table: Table
  readonly totals: RunningTotals
  /** All columns. */
  readonly row: Row
}

/** Amount of a row of a table with what segments add; `undefined` for a row that says nothing. */
async function wholeAmount(
  reader: Reader,
  { table, totals, row }: StoredAmount,
): Promise<bigint | undefined> {
  const { keyLength, value, negative } = runningColumnsOf(table)
  const key = row.slice(0, keyLength).map(Number)
  const own = amountOf(itemAt(row, value), itemAt(row, negative))
  const before = totals.all(key)
  if (before === undefined) return own
  const place = itemAt(row, keyLength)
  if (own === 0n && (await reader.get(olderRow(table), [...key, place])) === undefined)
    return undefined
  return before + own
}

const olderRows = new WeakMap<Table, Statement>()

/** The question for a row of the same key that is older than a place. */
function olderRow(table: Table): Statement {
  const known = olderRows.get(table)
  if (known !== undefined) return known
  const where = table.key.slice(0, -1).map((name) => `${name} = ?`)
  const text = `select 1 from ${table.name} where ${where.join(' and ')} and ${placeColumn(table)} < ? limit 1`
  const question = statement(text, { rowsOnly: true })
  olderRows.set(table, question)
  return question
}

function compareOrder({ order }: Plan, one: FoundRow, other: FoundRow): number {
  for (const [at, { isDescending }] of order.entries()) {
    const found = compareValues(itemAt(one.order, at), itemAt(other.order, at)) ?? 0
    if (found !== 0) return isDescending ? -found : found
  }
  return 0
}

function distinct(rows: readonly Row[]): Row[] {
  const seen = new Map(rows.map((row) => [JSON.stringify(row, textOfBytes), row]))
  return [...seen.values()]
}

function textOfBytes(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}

function withBigints(row: Row): Row {
  return row.map((value) => (typeof value === 'number' ? BigInt(value) : value))
}

async function lookedUp(
  { reader, ice }: Pick<Question, 'reader' | 'ice'>,
  lookup: Lookup,
  keys: readonly Column[],
): Promise<(Row | undefined)[]> {
  const rows = await reader.lookup(lookup, keys)
  if (rows.every((row) => row !== undefined)) return rows
  return holding({ reader, ice }, ({ ranges: all }) => {
    const ranges = all[historyOf(lookup.table)]
    return ranges.length === 0 ? [...rows] : withFrozen(rows, { ranges, lookup, keys })
  })
}

/** The newest row of each key of a table whose amounts run, with whole amounts. */
async function newestLookedUp(
  { reader, ice }: Pick<Question, 'reader' | 'ice'>,
  lookup: Lookup,
  keys: readonly Column[],
): Promise<(Row | undefined)[]> {
  const { table, key, select, bigints = false } = lookup
  const isPrefix = key.join(' ') === table.key.slice(0, -1).join(' ')
  assert(table.freezes === 'running' && isPrefix, `the newest of ${table.name} is looked up by key`)
  const names = columnNames(table)
  const columns = select.map((name) => names.indexOf(name))
  for (;;) {
    const stage = historyOf(table)
    const known = frozenUntil(await ice.manifest(reader), stage)
    const stored = await reader.lookup({ ...lookup, select: names, bigints: false }, keys)
    const rows = await holding({ reader, ice }, async ({ ranges: all }) => {
      const ranges = all[stage]
      if (endOf(ranges) !== known) return undefined
      return known === 0 ? [...stored] : newestOf({ reader, ranges, table }, keys, stored)
    })
    if (rows === undefined) continue
    return rows.map((row) => {
      const picked = row && columns.map((column) => itemAt(row, column))
      return picked !== undefined && bigints ? withBigints(picked) : picked
    })
  }
}

async function newestOf(
  {
    reader,
    ranges,
    table,
  }: {
    readonly reader: Reader
    readonly ranges: readonly SegmentRange[]
    readonly table: Table
  },
  keys: readonly Column[],
  stored: readonly (Row | undefined)[],
): Promise<(Row | undefined)[]> {
  const totals = totalsOf(table, ranges)
  const columns = runningColumnsOf(table)
  const rows: (Row | undefined)[] = []
  for (const [at, row] of stored.entries()) {
    const key = keys.map((column) => Number(valueAt(column, at)))
    const amount = row && (await wholeAmount(reader, { table, totals, row }))
    if (row === undefined || amount === undefined) rows.push(totals.newest(key))
    else {
      const [value, negative] = amountCells(amount)
      rows.push(row.with(columns.value, value).with(columns.negative, negative))
    }
  }
  return rows
}

/** Height behind the last segment; 0 where there is none. */
function endOf(ranges: readonly SegmentRange[]): number {
  return ranges.at(-1)?.until ?? 0
}

function historyOf(table: Table): HistoryStage {
  const stage = stageOf(table)
  assert(stage !== undefined, 'segments are asked for a table that freezes')
  return stage
}

type Missing = {
  readonly ranges: readonly SegmentRange[]
  readonly lookup: Lookup
  readonly keys: readonly Column[]
}

/** `rows`, with those of segments where there are none. */
function withFrozen(
  rows: readonly (Row | undefined)[],
  { ranges, lookup, keys }: Missing,
): (Row | undefined)[] {
  const { table, key, select } = lookup
  const placeAt = key.indexOf(itemAt(table.key, table.key.length - 1))
  assert(
    table.freezes === 'whole' && placeAt !== -1 && key.length === table.key.length,
    `rows of ${table.name} are looked up by their whole key`,
  )
  const order = table.key.map((name) => key.indexOf(name))
  const columns = select.map((name) => columnNames(table).indexOf(name))
  const scale = table.key.at(-1) === 'pos' ? placesPerBlock : 1
  return rows.map((row, at) => {
    if (row !== undefined) return row
    const whole = order.map((column) => Number(valueAt(itemAt(keys, column), at)))
    const range = segmentAt(ranges, Math.floor(itemAt(whole, whole.length - 1) / scale))
    const cells = range === undefined ? undefined : frozenRow(range.segment, table, whole)
    const found = cells === undefined ? undefined : columns.map((column) => cells.cell(column))
    return lookup.bigints === true && found !== undefined ? withBigints(found) : found
  })
}
