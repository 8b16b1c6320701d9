/** One history over tables and segments: what reads here sees all of it, whatever is frozen. */

import { assert } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { wideBytes, wideInteger } from '../../core/wide-integer.ts'
import {
  type Column,
  type FoundRow,
  type Lookup,
  type Reader,
  type Row,
  type Statement,
  type Value,
  valueAt,
} from '../engine/database.ts'
import { balanceAt } from '../schema/evm.ts'
import { placesPerBlock } from '../schema/sums.ts'
import { type HistoryStage, stageOf, type Table } from '../schema/table.ts'
import { type AskedFiles, type Store, ofOneState } from './asked-files.ts'
import { type DirectorySet, fileAt, type Heights, nextPiece, pieceOfPair } from './directory.ts'
import type { History, KeyValues, OpenSegment } from './history.ts'
import type { ManifestSegment } from './manifest.ts'
import { placeColumn, placesPerHeight } from './segment-file.ts'

/** `reader` with the segments of `history`. */
export function historyReader(reader: Reader, history: History): Reader {
  const store = { reader, history }
  return {
    history,
    historyProblems: () => history.problems(reader),
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
  const { over, stage = 'blocks', key, sums } = question
  const keys = key && { of: key.of, values: [key.at.map((at) => Number(parameters[at]))] }
  return ofOneState(store, stage, heightsOf(question, parameters), {
    keys,
    lasts: sums?.lastAt.slice(0, 1).map((at) => Number(parameters[at])),
    isNewestFirst: over === 'newest',
    tables: () => store.reader.all(question, parameters),
    isEnough: (rows) => (over === 'newest' || over === 'oldest') && rows.length >= most,
    segments: (open, files, rows = []) => combined(query, open, files, rows),
    ...(over === 'oldest'
      ? { behind: (rows, stored = []) => [...rows, ...stored].slice(0, most) }
      : {}),
  })
}

/** Heights in which all rows lie that are queried. */
function heightsOf({ within: range }: Statement, parameters: readonly Value[]): Heights {
  if (range === undefined) return { from: 0, until: everyRow }
  const isPos = 'pos' in range
  const [first, end = first] = (isPos ? range.pos : range.height).map((at) =>
    Math.floor(Number(parameters[at]) / (isPos ? placesPerBlock : 1)),
  )
  assert(first !== undefined && end !== undefined, 'a question names a parameter')
  // The end of places may lie inside of a block.
  return { from: first, until: isPos || first === end ? end + 1 : end }
}

/** Rows of files, and those that were found before. */
function combined<R extends Row>(
  query: Query<R>,
  open: OpenSegment,
  { files, sums }: AskedFiles,
  found: readonly R[],
): R[] {
  const { question, parameters, most } = query
  const rowsOf = (file: ManifestSegment, wanted = most): readonly R[] => {
    const segment = open(file)
    if (wanted === 1) {
      const row = segment.get(question, parameters)
      return row === undefined ? [] : [row]
    }
    const limited = wanted === most ? parameters : [...parameters.slice(0, -1), wanted]
    return segment.all(question, limited)
  }
  switch (question.over) {
    case 'newest':
      return inTurn([...found], files.toReversed(), most, rowsOf)
    case 'oldest':
      return inTurn([...found], files, most, rowsOf)
    case 'merge': {
      // The oldest first: most of what was numbered first is there, so that the others have little to add.
      let rows = sums === undefined ? found : withSums(query, open, sums, found)
      for (const each of files)
        rows = merged(query, rows, open(each).all(question, parametersUpTo(query, rows)))
      return [...rows]
    }
    case 'sum': {
      const [first, ...others] = [...files.flatMap((each) => rowsOf(each)), ...found]
      if (first === undefined) return []
      const sum = others.reduce(
        (one: Row, other) => one.map((value, at) => Number(value) + Number(other[at])),
        first,
      )
      return [likeRow(first, sum)]
    }
    case 'tables':
    case undefined:
      return [...found]
  }
}

/** Rows of the directory, and those that were found before. */
function withSums<R extends Row>(
  query: Query<R>,
  open: OpenSegment,
  { sets, before }: NonNullable<AskedFiles['sums']>,
  found: readonly R[],
): readonly R[] {
  const { question, parameters } = query
  const last = before(Number(parameters[question.sums?.lastAt[0] ?? -1]))
  let rows = found
  for (const set of sets) {
    let wanted = parametersUpTo(query, rows)
    let piece = nextPiece(set, undefined, rangeOf(query, wanted))
    while (piece !== undefined) {
      rows = merged(query, rows, ofPiece(query, open, { set, last, piece, wanted }))
      wanted = parametersUpTo(query, rows)
      piece = nextPiece(set, piece, rangeOf(query, wanted))
    }
  }
  return rows
}

/** Rows of the first column that a question wants: of which key, and from where to where. */
function rangeOf<R extends Row>(
  { question: { key, sums, upTo } }: Query<R>,
  wanted: readonly Value[],
): Parameters<typeof nextPiece>[2] {
  const at = (index = -1): number => Number(wanted[index])
  assert(key !== undefined, 'the directory is asked for a key')
  return { kind: key.of, key: at(key.at[0]), after: at(sums?.afterAt), upTo: at(upTo) }
}

/** Rows of a file of the directory up to height `last`. */
function ofPiece<R extends Row>(
  { question }: Query<R>,
  open: OpenSegment,
  of: {
    readonly set: DirectorySet
    readonly piece: ManifestSegment
    readonly last: number
    readonly wanted: readonly Value[]
  },
): readonly R[] {
  const { set, piece, last, wanted } = of
  const { sums, atEnd, key } = question
  const parameters = wanted.map((value, at) => (sums?.lastAt.includes(at) === true ? last : value))
  if (atEnd === undefined) return open(piece).all(question, parameters)
  const words = { ...question, sqlite: atEnd.sqlite }
  const rows = open(piece).all<R>(words, parameters.slice(atEnd.skip))
  if (last >= set.until - 1) return rows
  const tokenId = Number(parameters[key?.at[0] ?? -1])
  const pairs = [rows.map((row) => Number(row[0])), rows.map(() => tokenId)]
  const found = [...rows]
  for (const [file, places] of byPiece(set, pairs)) {
    const some = [...pairs, rows.map(() => last)].map((column) =>
      places.map((at) => column[at] ?? 0),
    )
    for (const [nth, amount] of open(file).lookup(balanceAt, some).entries()) {
      const at = itemAt(places, nth)
      const row = itemAt(rows, at)
      found[at] = likeRow(row, [itemAt<Value>(row, 0), amount?.[0] ?? null, amount?.[1] ?? null])
    }
  }
  return found
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
export function withAmount<R extends Row>(row: R, rows: readonly R[], at: number): R {
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
  const scale = placesPerHeight(table)
  const heights = numbersIn(place).map((each) => Math.floor(each / scale))
  const reached = { from: Math.min(...heights), until: Math.max(...heights) + 1 }
  return ofOneState(store, stageNamed(table), reached, {
    isNewestFirst: true,
    tables: async () => store.reader.lookup(lookup, keys),
    isEnough: (stored) => stored.every((row) => row !== undefined),
    segments: (open, { files }, stored = heights.map(() => undefined)) => {
      const found = [...stored]
      const wanted = new Map<ManifestSegment, number[]>()
      for (const [at, height] of heights.entries()) {
        const file = found[at] === undefined ? fileAt(files, height) : undefined
        if (file === undefined) continue
        const places = wanted.get(file)
        if (places === undefined) wanted.set(file, [at])
        else places.push(at)
      }
      for (const [file, places] of wanted) {
        const some = keys.map((column) => places.map((at) => valueAt(column, at)))
        for (const [at, row] of open(file).lookup(lookup, some).entries())
          found[itemAt(places, at)] = row
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
  const lasts = isBounded === true ? numbersIn(itemAt(keys, key.length)) : [everyRow]
  assert(
    table.freezes === 'running' &&
      at !== -1 &&
      select.length === 2 &&
      select[at + 1] === 'negative',
    `the newest row of ${table.name} is queried by pair, with its amount`,
  )
  const tuples = keys.slice(0, key.length)
  const count = itemAt(keys, 0).length
  return ofOneState<(FoundRow<T, Names> | undefined)[]>(
    store,
    stageNamed(table),
    { from: 0, until: Math.max(...lasts) + 1 },
    {
      keys: pairsOf(tuples),
      lasts,
      isNewestFirst: true,
      tables: async () => store.reader.lookup(lookup, keys),
      isEnough: () => false,
      segments: (open, { files, sums }, stored = []) => {
        const found = Array.from({ length: count }, (_, place) => stored[place])
        const add = (place: number, row: FoundRow<T, Names> | undefined): void => {
          const newer = found[place]
          if (row !== undefined)
            found[place] = newer === undefined ? row : withAmount(newer, [newer, row], at)
        }
        for (const file of files.toReversed()) {
          const isInside = sums?.inside.has(file) === true
          for (const [place, row] of open(file).lookup(lookup, keys).entries())
            if (!isInside || hasHeight(file, lasts[place])) add(place, row)
        }
        if (sums === undefined) return found
        const bounded = isBounded === true ? [...tuples, lasts.map(sums.before)] : tuples
        for (const set of sums.sets.toReversed())
          for (const [piece, places] of byPiece(set, tuples)) {
            const isEach = places.length === count
            const some = isEach
              ? bounded
              : bounded.map((column) => places.map((place) => valueAt(column, place)))
            for (const [nth, row] of open(piece).lookup(lookup, some).entries())
              add(itemAt(places, nth), row)
          }
        return found
      },
    },
  )
}

/** Places of pairs by the files of a set that have them. */
function byPiece(
  set: DirectorySet,
  [addressIds = [], tokenIds = []]: readonly Column[],
): ReadonlyMap<ManifestSegment, readonly number[]> {
  const places = new Map<ManifestSegment, number[]>()
  for (let place = 0; place < addressIds.length; place++) {
    const addressId = Number(valueAt(addressIds, place))
    const piece = pieceOfPair(set, addressId, Number(valueAt(tokenIds, place)))
    const known = places.get(piece)
    if (known === undefined) places.set(piece, [place])
    else known.push(place)
  }
  return places
}

function hasHeight({ from, until }: ManifestSegment, height = -1): boolean {
  return from <= height && height < until
}

/** Most pairs that are looked for one by one. */
const mostPairs = 16

/** Pairs of an address and a token, where they are few. */
function pairsOf([addressIds, tokenIds]: readonly Column[]): KeyValues | undefined {
  if (addressIds === undefined || tokenIds === undefined || addressIds.length > mostPairs)
    return undefined
  const tokens = numbersIn(tokenIds)
  const values = numbersIn(addressIds).map((addressId, at) => [addressId, itemAt(tokens, at)])
  return { of: 'pair', values }
}

function numbersIn(column: Column): number[] {
  return Array.from({ length: column.length }, (_, at) => Number(valueAt(column, at)))
}

function stageNamed(table: Table): HistoryStage {
  const stage = stageOf(table)
  assert(stage !== undefined, 'segments are read for a table that freezes')
  return stage
}
