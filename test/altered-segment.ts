/**
 * Segment files that were cut, altered, mixed up or forged: what is read of them are the rows that
 * were written, or a fault.
 */

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import { Fault } from '../src/core/fault.ts'
import type { Row } from '../src/store/engine/database.ts'
import type { FrozenShape } from '../src/store/ice/frozen-shape.ts'
import { PackedRows, packRows, rowsPerGroup } from '../src/store/ice/packed-rows.ts'
import { indexBytes, segmentFormat, type SegmentIndex } from '../src/store/ice/segment-index.ts'
import { draftEnding, SegmentWriter } from '../src/store/ice/segment-writer.ts'
import { type FrozenTable, Segment } from '../src/store/ice/segment.ts'
import { openStore } from '../src/store/open.ts'
import { freezeAt, segmentsOf } from './freeze-store.ts'
import { chainTables } from './read-demo-chain.ts'

/** A draw in [0, 1). */
export type Draw = () => number

/** A whole segment, and rows that were read of it before anything was altered. */
type Whole = {
  readonly bytes: Buffer
  readonly name: string
  readonly index: SegmentIndex
  readonly rows: ReadonlyMap<string, ReadonlyMap<number, Row>>
}

/** Segments to alter. */
export type AlteredSubjects = { readonly folder: string; readonly wholes: readonly Whole[] }

const trailerBytes = 48
/** Rows that are read of each table of an altered file. */
const rowsRead = 40

/**
 * Two segments of the store `name` in `folder`, which is not frozen yet, and one of three levels of
 * fences.
 */
export async function subjectsIn(folder: string, name: string): Promise<AlteredSubjects> {
  const location = { store: 'embedded', dataDir: folder, freeze: { firn: 'test' } }
  const store = await openStore(location, name, chainTables, 'write')
  await freezeAt(store, [60, 140])
  const made = (await segmentsOf(store)).map((each) =>
    join(folder, 'segments', name, `${each.name}.ice`),
  )
  await store.close()
  return { folder, wholes: [...made, await deepSegment(folder)].map(wholeOf) }
}

async function deepSegment(folder: string): Promise<string> {
  const shape: FrozenShape = {
    name: 'deep',
    columns: ['key', 'value'],
    forms: ['integer', 'bytes'],
    keyLength: 1,
    groupRows: rowsPerGroup,
  }
  const writer = new SegmentWriter(join(folder, `deep${draftEnding}`))
  await writer.table(shape, async (into) => {
    const rows: Row[] = []
    for (let at = 0; at < rowsPerGroup ** 2 + 300; at++) rows.push([at * 3, new Uint8Array(at % 3)])
    into.add(rows)
  })
  const { name } = writer.finish({
    store: 'deep',
    genesisHash: '0x00',
    from: 0,
    until: 1,
    parentHash: '',
    lastHash: '',
    firn: 'test',
  })
  return join(folder, `${name}.ice`)
}

function wholeOf(path: string): Whole {
  const segment = new Segment(path)
  const rows = new Map<string, ReadonlyMap<number, Row>>()
  for (const { name } of segment.index.tables) {
    const table = segment.table(name)
    if (table === undefined) throw new Error(`the segment lists its table: ${name}`)
    rows.set(name, new Map(placesIn(table.rows).map((row) => [row, table.values(row)])))
  }
  const whole = { bytes: readFileSync(path), name: segment.name, index: segment.index, rows }
  segment.close()
  return whole
}

/** First, last and rows between, in the same distance. */
function placesIn(rows: number): number[] {
  if (rows === 0) return []
  const count = Math.min(rows, rowsRead)
  return Array.from({ length: count }, (_, at) => Math.floor((at * (rows - 1)) / (count - 1 || 1)))
}

/** Bytes after an alteration; a forged file has checksums that fit it. */
type Altered = { readonly bytes: Uint8Array; readonly isForged?: true }
type Alter = (whole: Whole, draw: Draw, other: Whole) => Altered

const pick = <T>(all: readonly T[], draw: Draw): T => {
  const one = all[Math.floor(draw() * all.length)]
  if (one === undefined) throw new Error('there is something to choose from')
  return one
}

function flipped(bytes: Buffer, at: number, draw: Draw): Altered {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(draw() * 8))
  return { bytes: copy }
}

function flippedBetween(from: number, until: number): Alter {
  return ({ bytes }, draw) => {
    const size = bytes.length
    const [low, high] = [from < 0 ? size + from : from, until <= 0 ? size + until : until]
    return flipped(bytes, low + Math.floor(draw() * (high - low)), draw)
  }
}

/** Values that no honest file has at a place, or has elsewhere. */
const odd: readonly unknown[] = [
  0,
  1,
  -1,
  0.5,
  7,
  255,
  65_537,
  2 ** 31,
  2 ** 32 + 1,
  2 ** 40,
  Number.MAX_SAFE_INTEGER,
  1e300,
  null,
  true,
  '',
  'integer',
  'x'.repeat(70_000),
  [],
  {},
  [null],
]

/** A copy of a JSON value with one of its members replaced by another value. */
function withOdd(value: unknown, draw: Draw): unknown {
  const isDeeper = typeof value === 'object' && value !== null && draw() < 0.9
  if (!isDeeper) return pick(odd, draw)
  const entries = Object.entries(value)
  if (entries.length === 0) return pick(odd, draw)
  const [name, inner] = pick(entries, draw)
  const changed = withOdd(inner, draw)
  if (Array.isArray(value)) return value.toSpliced(Number(name), 1, changed)
  return draw() < 0.1
    ? Object.fromEntries(entries.filter(([each]) => each !== name))
    : { ...value, [name]: changed }
}

/** A file with the tables of `whole` and an index that says `text`, named by its hash. */
function sealed(data: Uint8Array, text: Uint8Array, format = segmentFormat): Altered {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(text.length, 0)
  head.writeUInt32LE(format, 4)
  const hash = createHash('sha256').update(text).digest()
  return { bytes: Buffer.concat([data, text, head, hash, Buffer.from('FIRN ICE')]), isForged: true }
}

function dataOf({ bytes, index }: Whole): Buffer {
  return bytes.subarray(0, bytes.length - indexBytes(index).bytes.length)
}

/** What an index leads to: groups and fences, or the directory of a filter. */
type Lead = 'root' | 'filter'

/** The root piece of a table replaced by `change`, with every checksum made to fit. */
function withRoot(
  whole: Whole,
  draw: Draw,
  change: (root: Buffer) => Uint8Array,
  lead: Lead = 'root',
): Altered {
  const some = whole.index.tables.filter((each) => each[lead] !== undefined)
  if (some.length === 0) return withRoot(whole, draw, change)
  const table = pick(some, draw)
  const root = table[lead]
  if (root === undefined) throw new Error('tables without rows are left out')
  const data = Buffer.from(dataOf(whole))
  const piece = change(Buffer.from(data.subarray(root.offset, root.offset + root.length)))
  // A piece of another length lies at the end of its section, as roots do.
  const after = data.subarray(root.offset + root.length)
  const changed = Buffer.concat([data.subarray(0, root.offset), piece, after])
  const longer = piece.length - root.length
  const tables = whole.index.tables.map((each) => {
    const isOwn = each === table
    const moved = each.section.offset > root.offset ? longer : 0
    const offset = each.section.offset + moved
    const length = each.section.length + (isOwn ? longer : 0)
    const sha256 = createHash('sha256')
      .update(changed.subarray(offset, offset + length))
      .digest('hex')
    const leads = (['root', 'filter'] as const).flatMap((name) => {
      const old = each[name]
      if (old === undefined) return []
      const isChanged = isOwn && name === lead
      const behind = old.offset > root.offset ? longer : 0
      const place = isChanged
        ? { offset: root.offset, length: piece.length, crc: crc32(piece) }
        : { offset: old.offset + behind }
      return [[name, { ...old, ...place }] as const]
    })
    const section = { offset, length, sha256 }
    return { ...each, section, ...Object.fromEntries(leads) }
  })
  return sealed(changed, Buffer.from(JSON.stringify({ ...whole.index, tables })))
}

/** Fences that lead anywhere: places and lengths of no group. */
const forgedFences: Alter = (whole, draw) => {
  const many = whole.index.tables.filter(({ levels }) => levels > 0)
  if (many.length === 0) return forgedRoot(whole, draw, whole)
  return withRoot({ ...whole, index: { ...whole.index, tables: many } }, draw, () => {
    const rows = Array.from({ length: 1 + Math.floor(draw() * 4) }, (_, at): Row => [
      at,
      pick([0, 1e6, 2 ** 31, 2 ** 52, -1, null], draw),
      pick([0, 1, 2 ** 31, 2 ** 40, 2 ** 52, -1, null], draw),
      pick([0, 2 ** 32, -1, null], draw),
    ])
    return packRows(['integer', 'integer', 'integer', 'integer'], rows)
  })
}

const forgedRoot: Alter = (whole, draw) => withRoot(whole, draw, (root) => scrambled(root, draw))

/** A directory of a filter that leads anywhere, or has other ids. */
const forgedFilter: Alter = (whole, draw) =>
  withRoot(
    whole,
    draw,
    (root) => {
      if (draw() < 0.5) return scrambled(root, draw)
      const row = [pick([0, 1, -1, 2 ** 31, null], draw), pick([0, 1e3, 2 ** 40, -1], draw)]
      const end = [pick([0, 1, 600, 2 ** 40, -1, null], draw), pick([0, 2 ** 32, null], draw)]
      return packRows(['integer', 'integer', 'integer', 'integer'], [[...row, ...end]])
    },
    'filter',
  )

/** A directory of a filter that leads to ids that somebody chose, behind checksums that fit. */
const forgedChunk: Alter = (whole, draw) =>
  withRoot(
    whole,
    draw,
    (root) => {
      const directory = new PackedRows(['integer', 'integer', 'integer', 'integer'], root)
      const [high = 0, offset = 0] = directory.row(0)
      const data = dataOf(whole)
      const length = pick([1, 3, 5, 9, 600, 8_193, 8_195], draw)
      const chunk = data.subarray(Number(offset), Number(offset) + length)
      return packRows(
        ['integer', 'integer', 'integer', 'integer'],
        [[high, offset, length, crc32(chunk)]],
      )
    },
    'filter',
  )

function scrambled(root: Buffer, draw: Draw): Buffer {
  if (draw() < 0.2) return root.subarray(0, Math.floor(draw() * root.length))
  for (let flips = 1 + Math.floor(draw() * 3); flips > 0; flips--) {
    // Heads of columns are near the beginning.
    const at = Math.floor(draw() ** 3 * root.length)
    root[at] = Math.floor(draw() * 256)
  }
  return root
}

/** Ways to alter a segment. */
export const alterations: Readonly<Record<string, Alter>> = {
  'cut off': ({ bytes }, draw) => ({ bytes: bytes.subarray(0, Math.floor(draw() * bytes.length)) }),
  empty: () => ({ bytes: new Uint8Array() }),
  'a bit of rows or fences flipped': (whole, draw) =>
    flipped(whole.bytes, Math.floor(draw() * dataOf(whole).length), draw),
  'a bit of the index flipped': (whole, draw) =>
    flippedBetween(dataOf(whole).length, -trailerBytes)(whole, draw, whole),
  'a bit of the length flipped': flippedBetween(-48, -44),
  'a bit of the format flipped': flippedBetween(-44, -40),
  'a bit of the hash flipped': flippedBetween(-40, -8),
  'a bit of the last word flipped': flippedBetween(-8, 0),
  'bytes zeroed': ({ bytes }, draw) => {
    const copy = Buffer.from(bytes)
    const at = Math.floor(draw() * bytes.length)
    const end = Math.min(copy.length, at + 1 + Math.floor(draw() * 4_096))
    return { bytes: copy.fill(0, at, end) }
  },
  'bytes put in': ({ bytes }, draw) => {
    const at = Math.floor(draw() * (bytes.length + 1))
    const more = Buffer.alloc(1 + Math.floor(draw() * 600), Math.floor(draw() * 256))
    return { bytes: Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]) }
  },
  'bytes before the index': (whole, draw) => {
    const data = dataOf(whole)
    const more = Buffer.alloc(1 + Math.floor(draw() * 600))
    return { bytes: Buffer.concat([data, more, whole.bytes.subarray(data.length)]) }
  },
  'bytes left out': ({ bytes }, draw) => {
    const at = Math.floor(draw() * bytes.length)
    return {
      bytes: Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + draw() * 600)]),
    }
  },
  'rows of another segment': (whole, _draw, other) => ({
    bytes: Buffer.concat([dataOf(other), whole.bytes.subarray(dataOf(whole).length)]),
  }),
  'a format to come': (whole, draw) =>
    sealed(
      dataOf(whole),
      Buffer.from(JSON.stringify(whole.index)),
      segmentFormat + 1 + Math.floor(draw() * 1e6),
    ),
  'a foreign file': (_whole, draw) => ({
    bytes: Buffer.from(Array.from({ length: draw() * 600 }, () => draw() * 256)),
  }),
  'an index of other values, checksums made to fit': (whole, draw) =>
    sealed(dataOf(whole), Buffer.from(JSON.stringify(withOdd(whole.index, draw)))),
  'an index that is no JSON, checksums made to fit': (whole, draw) =>
    sealed(dataOf(whole), Buffer.from(JSON.stringify(whole.index)).subarray(0, draw() * 900)),
  'rows or fences altered, checksums made to fit': forgedRoot,
  'fences to anywhere, checksums made to fit': forgedFences,
  'a filter altered, checksums made to fit': forgedFilter,
  'a filter of other ids, checksums made to fit': forgedChunk,
}

/**
 * Alters a segment and reads it: `undefined` where that ended well, else what went wrong.
 *
 * A file that is altered without its checksums gives the rows that were written or a fault, and a
 * check of the file sees it. Where checksums fit, it has another name, and no reading does anything
 * but give a value or a fault.
 */
export function tryAltered(
  { folder, wholes }: AlteredSubjects,
  kind: string,
  draw: Draw,
): string | undefined {
  const whole = pick(wholes, draw)
  const altered = alterations[kind]?.(whole, draw, pick(wholes, draw))
  if (altered === undefined) throw new Error(`no such alteration: ${kind}`)
  if (whole.bytes.equals(altered.bytes)) return undefined
  const path = join(folder, 'altered.ice')
  writeFileSync(path, altered.bytes)
  let segment: Segment
  try {
    segment = new Segment(path)
  } catch (error) {
    return problemOf(error)
  }
  try {
    const isForged = altered.isForged === true
    if (isForged && segment.name === whole.name) return 'another content has the same name'
    for (const table of segment.index.tables) {
      const problem = problemIn(segment.table(table.name), whole.rows.get(table.name), isForged)
      if (problem !== undefined) return `${table.name}: ${problem}`
    }
    if (!isForged && segment.damagedTables().length === 0) return 'a check does not see it'
    if (isForged) segment.damagedTables()
    return undefined
  } catch (error) {
    return problemOf(error)
  } finally {
    segment.close()
  }
}

function problemIn(
  table: FrozenTable | undefined,
  rows: ReadonlyMap<number, Row> | undefined,
  isForged: boolean,
): string | undefined {
  if (table === undefined) return 'a table that the index lists is not there'
  for (const place of placesIn(table.rows)) {
    try {
      const values = table.values(place)
      const expected = rows?.get(place)
      const key = values.slice(0, table.shape.keyLength).map(Number)
      const found = table.lowerBound(key)
      const isKnown = table.mayKnow(key[0] ?? -1)
      table.knownIds()
      if (isForged) continue
      if (!isSame(values, expected)) return `row ${place} is another one`
      if (found !== place) return `row ${place} is found at ${found}`
      if (!isKnown) return `the filter hides row ${place}`
    } catch (error) {
      const problem = problemOf(error)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

function isSame(values: Row, expected: Row | undefined): boolean {
  return (
    expected?.length === values.length &&
    values.every((value, at) => {
      const other = expected[at]
      return value instanceof Uint8Array && other instanceof Uint8Array
        ? Buffer.compare(value, other) === 0
        : value === other
    })
  )
}

/** `undefined` for a fault of a store. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof Fault && /^store-(failed|version)$/.test(error.code)) return undefined
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
