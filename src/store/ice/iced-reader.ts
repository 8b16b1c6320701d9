/**
 * One history over tables and segments: what reads here sees all of it, whatever is frozen.
 *
 * History only ever moves from tables into segments, in one commit. So whoever reads rows first and
 * the manifest afterwards misses nothing, and leaves out the rows that segments have by then. A page
 * of the newest entries that tables fill costs nothing more.
 */

import { assert } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { type Reader, type Row, type Soon, type Statement, type Value } from '../engine/database.ts'
import { placesPerBlock } from '../schema/places.ts'
import { compareValues } from './expressions.ts'
import { endOf, holding } from './held-segments.ts'
import type { Ice } from './ice.ts'
import { lookedUp, newestLookedUp, wholeRows, withBigints } from './iced-lookups.ts'
import { frozenUntil } from './manifest.ts'
import type { Plan, Summary } from './plan.ts'
import { summarized } from './summarize.ts'
import { type FoundRow, walkSegments } from './walk-segments.ts'

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
