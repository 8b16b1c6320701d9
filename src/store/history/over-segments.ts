/**
 * One history over tables and segments: what reads here sees all of it, whatever is frozen.
 *
 * Rows move from tables into segments, and back, in a commit that changes the manifest, whose text never
 * repeats. So whoever finds the same manifest before and after it read the tables saw one state of both.
 */

import { assert } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { wideBytes, wideInteger } from '../../core/wide-integer.ts'
import {
  type Column,
  type FoundRow,
  type Lookup,
  type Reader,
  type Row,
  type MaybePromise,
  type Statement,
  type Value,
  valueAt,
} from '../engine/database.ts'
import { placesPerBlock } from '../schema/sums.ts'
import { type HistoryStage, stageOf, type Table } from '../schema/table.ts'
import type { History, KeyValues, OpenSegment } from './history.ts'
import { frozenUntil, type Manifest, type ManifestSegment, segmentsOf } from './manifest.ts'
import { placeColumn } from './segment-file.ts'

/** `reader` with the segments of `history`. */
export function historyReader(reader: Reader, history: History): Reader {
  const store = { reader, history }
  return {
    history,
    all: (question, parameters = []) =>
      isOverSegments(question)
        ? answers(store, {
            question,
            parameters,
            most: question.isLimited ? Number(parameters.at(-1)) : everyRow,
          })
        : reader.all(question, parameters),
    get: (question, parameters = []) =>
      isOverSegments(question)
        ? firstOf(answers(store, { question, parameters, most: 1 }))
        : reader.get(question, parameters),
    lookup: (lookup, keys) => {
      const { table, over, last } = lookup
      if (table.freezes === undefined || over === 'tables') return reader.lookup(lookup, keys)
      assert(
        table.freezes !== 'first-rows',
        `the oldest row of ${table.name} is found by a statement`,
      )
      return last === undefined ? byKey(store, lookup, keys) : newestByKey(store, lookup, keys)
    },
  }
}

type Store = { readonly reader: Reader; readonly history: History }

function isOverSegments({ over }: Statement): boolean {
  return over !== undefined && over !== 'tables'
}

async function firstOf<R>(rows: Promise<R[]>): Promise<R | undefined> {
  return (await rows)[0]
}

type Query<R extends Row> = {
  readonly question: Statement<R>
  readonly parameters: readonly Value[]
  /** Rows wanted. */
  readonly most: number
}

const everyRow = Number.POSITIVE_INFINITY

async function answers<R extends Row>(store: Store, query: Query<R>): Promise<R[]> {
  const { question, parameters, most } = query
  const { over, stage = 'blocks' } = question
  const heights = heightsOf(question, parameters)
  const { key } = question
  const keys = key && { of: key.of, values: [Number(parameters[key.at])] }
  return unchanged(store, stage, heights, {
    keys,
    tables: () => store.reader.all(question, parameters),
    isEnough: (stored) => over === 'newest' && stored.length >= most,
    segments: (open, segments, stored = []) => combined(query, open, segments, stored),
  })
}

/** Heights in which all rows lie that are queried, half-open. */
type Heights = { readonly from: number; readonly until: number }

function heightsOf({ within }: Statement, parameters: readonly Value[]): Heights {
  if (within === undefined) return { from: 0, until: everyRow }
  const isPos = 'pos' in within
  const [first, end = first] = (isPos ? within.pos : within.height).map((at) =>
    Math.floor(Number(parameters[at]) / (isPos ? placesPerBlock : 1)),
  )
  assert(first !== undefined && end !== undefined, 'a question names a parameter')
  // The end of places may lie inside of a block.
  return { from: first, until: isPos || first === end ? end + 1 : end }
}

type Reading<T> = {
  /** The only keys whose rows are wanted; absent where no file is left out. */
  readonly keys?: KeyValues | undefined
  readonly tables: () => MaybePromise<T>
  /** Returns whether what tables have is all that is wanted. */
  readonly isEnough: (stored: T) => boolean
  /** `stored` is absent where tables have nothing of the heights. */
  readonly segments: (
    open: OpenSegment,
    segments: readonly ManifestSegment[],
    stored: T | undefined,
  ) => T
}

/**
 * An answer from the tables and the segments that overlap `heights`, all of one state of the
 * store.
 */
async function unchanged<T>(
  { reader, history }: Store,
  stage: HistoryStage,
  heights: Heights,
  reading: Reading<T>,
): Promise<T> {
  const { tables, isEnough } = reading
  for (let known = history.known; ;) {
    const isFrozen = heights.until <= frozenUntil(known, stage)
    const stored = isFrozen ? undefined : await tables()
    if (stored !== undefined && isEnough(stored)) return stored
    const manifest: Manifest = isFrozen
      ? await history.thisTurn(reader)
      : await history.manifest(reader)
    if (manifest.text === known.text) {
      const reached = segmentsOf(manifest, stage).filter(
        ({ from, until }) => from < heights.until && until > heights.from,
      )
      if (stored !== undefined && reached.length === 0) return stored
      const answer = await ofFiles({ reader, history }, { manifest, reached, stored }, reading)
      if (answer !== undefined) return answer.all
    }
    known = await history.manifest(reader)
  }
}

/**
 * An answer from tables, which gave `stored`, and the segments that are `reached`; `undefined` where the list of
 * segments changed meanwhile.
 */
async function ofFiles<T>(
  { reader, history }: Store,
  of: {
    readonly manifest: Manifest
    readonly reached: readonly ManifestSegment[]
    readonly stored: T | undefined
  },
  { keys, isEnough, segments }: Reading<T>,
): Promise<{ readonly all: T } | undefined> {
  const { manifest, reached, stored } = of
  const listed = keys === undefined ? [] : reached.filter((each) => history.isCovered(each))
  const rest = listed.length === 0 ? reached : reached.filter((each) => !history.isCovered(each))
  const newest = await history.using(reader, manifest, (open) => ({
    all: segments(open, rest, stored),
  }))
  // An answer that is full before the directory never asks it.
  if (newest === undefined || keys === undefined || listed.length === 0 || isEnough(newest.all))
    return newest
  const having = await history.having(reader, manifest, listed, keys)
  if (having === undefined) return undefined
  return history.using(reader, manifest, (open) => ({ all: segments(open, having, newest.all) }))
}

/** Rows of segments and of tables, which are newer than all segments: `stored`. */
function combined<R extends Row>(
  query: Query<R>,
  open: OpenSegment,
  segments: readonly ManifestSegment[],
  stored: readonly R[],
): R[] {
  const { question, parameters, most } = query
  const rowsOf = (segment: ManifestSegment, wanted = most): readonly R[] => {
    const file = open(segment)
    if (wanted === 1) {
      const row = file.get(question, parameters)
      return row === undefined ? [] : [row]
    }
    const limited = wanted === most ? parameters : [...parameters.slice(0, -1), wanted]
    return file.all(question, limited)
  }
  switch (question.over) {
    case 'newest':
      return inTurn([...stored], segments.toReversed(), most, rowsOf)
    case 'oldest': {
      const rows = inTurn([], segments, most, rowsOf)
      return [...rows, ...stored].slice(0, most)
    }
    case 'merge': {
      // The oldest first: most of what was numbered first is there, so that the others have little to add.
      let rows = stored
      for (const each of segments)
        rows = merged(query, rows, open(each).all(question, parametersUpTo(query, rows)))
      return [...rows]
    }
    case 'sum': {
      const [first, ...others] = [...segments.flatMap((each) => rowsOf(each)), ...stored]
      if (first === undefined) return []
      const sum = others.reduce(
        (one: Row, other) => one.map((value, at) => Number(value) + Number(other[at])),
        first,
      )
      return [likeRow(first, sum)]
    }
    case 'tables':
    case undefined:
      return [...stored]
  }
}

function inTurn<R extends Row>(
  rows: R[],
  segments: readonly ManifestSegment[],
  most: number,
  rowsOf: (segment: ManifestSegment, wanted: number) => readonly R[],
): R[] {
  for (const segment of segments) {
    if (rows.length >= most) break
    // Most segments have nothing of an address: their empty answers make no list of their own.
    for (const row of rowsOf(segment, most - rows.length)) rows.push(row)
  }
  return rows
}

/** The parameters of a question to one more file. */
function parametersUpTo<R extends Row>(
  { question: { upTo }, parameters, most }: Query<R>,
  rows: readonly R[],
): readonly Value[] {
  const last = rows[most - 1]
  return upTo === undefined || last === undefined
    ? parameters
    : parameters.with(upTo, itemAt<Value>(last, 0))
}

/** Two lists in order of their first column as one, of a value that both have the row of the first. */
function merged<R extends Row>(
  { question: { amountAt }, most }: Query<R>,
  one: readonly R[],
  other: readonly R[],
): readonly R[] {
  const rows: R[] = []
  let place = 0
  const addBefore = (end: number): void => {
    for (; place < other.length && Number(other[place]?.[0]) < end; place++)
      rows.push(itemAt(other, place))
  }
  for (const row of one) {
    const first = Number(row[0])
    addBefore(first)
    const same = other[place]
    const isSame = same !== undefined && Number(same[0]) === first
    if (isSame) place++
    rows.push(isSame && amountAt !== undefined ? withAmount(row, [row, same], amountAt) : row)
  }
  addBefore(everyRow)
  return rows.slice(0, most)
}

/** `row` with the sum of the amounts of all `rows`, whose size and sign stand at `at`; NULL where none has one. */
function withAmount<R extends Row>(row: R, rows: readonly R[], at: number): R {
  if (rows.length === 1 || rows.every((each) => each[at] === null)) return row
  const sum = rows.reduce((total, each) => total + amountOf(each[at], each[at + 1]), 0n)
  return likeRow(row, [...row.slice(0, at), ...amountCells(sum), ...row.slice(at + 2)])
}

/** `values` as a row like `_`, of which they are made. */
function likeRow<R extends Row>(_: R, values: Row): R {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each is of the kind of its place
  return values as R
}

const noBytes = new Uint8Array()

/** The amount of a stored size and sign. */
export function amountOf(value: Value | undefined, negative: Value | undefined): bigint {
  const size = wideInteger(value instanceof Uint8Array ? value : noBytes)
  return negative === 1 || negative === 1n ? -size : size
}

/** Size and sign of an amount, as they are stored. */
export function amountCells(amount: bigint): readonly [Uint8Array, number] {
  return amount < 0n ? [wideBytes(-amount), 1] : [wideBytes(amount), 0]
}

/** The row of each key of a table that freezes `whole`, by its whole key. */
function byKey<T extends Table, Names extends readonly string[]>(
  store: Store,
  lookup: Lookup<T, Names>,
  keys: readonly Column[],
): Promise<(FoundRow<T, Names> | undefined)[]> {
  const { table, key } = lookup
  const place = keys[key.indexOf(placeColumn(table))]
  assert(
    table.freezes === 'whole' && place !== undefined && key.length === table.key.length,
    `rows of ${table.name} are looked up by their whole key`,
  )
  const scale = placeColumn(table) === 'pos' ? placesPerBlock : 1
  const heights = numbersIn(place).map((each) => Math.floor(each / scale))
  const reached = { from: Math.min(...heights), until: Math.max(...heights) + 1 }
  return unchanged(store, stageNamed(table), reached, {
    tables: async () => store.reader.lookup(lookup, keys),
    isEnough: (stored) => stored.every((row) => row !== undefined),
    segments: (open, segments, stored = heights.map(() => undefined)) => {
      const found = [...stored]
      for (const segment of segments) {
        const wanted = [...heights.keys()].filter((at) => {
          const height = itemAt(heights, at)
          return found[at] === undefined && segment.from <= height && height < segment.until
        })
        if (wanted.length === 0) continue
        const some = keys.map((column) => wanted.map((at) => valueAt(column, at)))
        for (const [at, row] of open(segment).lookup(lookup, some).entries())
          found[itemAt(wanted, at)] = row
      }
      return found
    },
  })
}

/** The newest row of each key of a table with running totals, with whole totals. */
function newestByKey<T extends Table, Names extends readonly string[]>(
  store: Store,
  lookup: Lookup<T, Names>,
  keys: readonly Column[],
): Promise<(FoundRow<T, Names> | undefined)[]> {
  const { table, key, select, isBounded } = lookup
  const at = select.indexOf('value')
  const bounds = isBounded === true ? numbersIn(itemAt(keys, key.length)) : [everyRow]
  assert(
    table.freezes === 'running' && at !== -1 && select[at + 1] === 'negative',
    `the newest row of ${table.name} is queried with its amount`,
  )
  return unchanged<(FoundRow<T, Names> | undefined)[]>(
    store,
    stageNamed(table),
    { from: 0, until: Math.max(...bounds) + 1 },
    {
      keys: keysOf(itemAt(keys, 0)),
      tables: async () => store.reader.lookup(lookup, keys),
      isEnough: () => false,
      segments: (open, segments, stored = []) => {
        const parts = segments.toReversed().map((each) => open(each).lookup(lookup, keys))
        return Array.from({ length: itemAt(keys, 0).length }, (_, key) => {
          const rows = [stored[key], ...parts.map((part) => part[key])].filter(
            (row) => row !== undefined,
          )
          const [newest] = rows
          return newest && withAmount(newest, rows, at)
        })
      },
    },
  )
}

/** Most addresses whose places are looked for; those of more are in most files. */
const mostAddresses = 8

/** Addresses of pairs, where they are few. */
function keysOf(addressIds: Column): KeyValues | undefined {
  const values = [...new Set(numbersIn(addressIds))]
  return values.length > mostAddresses ? undefined : { of: 'address', values }
}

function numbersIn(column: Column): number[] {
  return Array.from({ length: column.length }, (_, at) => Number(valueAt(column, at)))
}

function stageNamed(table: Table): HistoryStage {
  const stage = stageOf(table)
  assert(stage !== undefined, 'segments are read for a table that freezes')
  return stage
}
