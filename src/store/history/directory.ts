/**
 * The directory of history: which of the files that stay have rows of an address, of a token, of a pair of both, of
 * the beginning of a hash, or of a topic; and what balances and holders came to.
 *
 * A file of it covers neighbouring segments that are not merged any more. It is made of them alone, lies beside them, and
 * may be lost: who cannot read it asks all segments. So nothing but the time of an answer depends on it.
 *
 * Its `balance` has the last row of each pair in each segment, and its `holding` the first one of each pair, with amounts
 * that count from its first height, as in a segment of all its heights. So it is asked in place of its segments for
 * balances and holders, but for the one segment in which the height of the question lies.
 */

import { assert } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { type KeyKind, type Statement, statement } from '../engine/database.ts'
import { balance, holding } from '../schema/evm.ts'
import { byStage, type HistoryStage, type Table, table } from '../schema/table.ts'
import { type Manifest, type ManifestSegment, segmentsOf } from './manifest.ts'
import type { SegmentWriter } from './segment-file.ts'
import { SegmentSchema } from './segment-schema.ts'

/** Segments that have a key, by their first height; `lists` is the sum of the bits of those lists of the key that have rows. */
function placesOf(name: string): Table {
  const shape = { key: ['id', 'height'], layout: 'keyed', freezes: 'whole' } as const
  return table(name, { id: 'integer', height: 'integer', lists: 'integer' }, shape)
}

const tables = {
  address: placesOf('place_of_address'),
  token: placesOf('place_of_token'),
  hash: placesOf('place_of_hash'),
} as const

/** `holding` with what each came to at the end of the file; NULL for a token without amounts. */
const holder = table(
  holding.name,
  { ...holding.columns, value: 'bytes?', negative: 'integer?' },
  { key: ['token_id', 'address_id'], layout: 'keyed', freezes: 'first-rows' },
)

/** The form of a file of the directory, of any stage. It has layouts of its own, and this is the first one. */
export function directorySchema(): SegmentSchema {
  const all = [...Object.values(tables), balance, holder]
  return new SegmentSchema(all, { tables: all, migrations: [] })
}

/** Heights of the segments that have a key. Parameters: those of the key, the first height, and the one behind the last. */
export const placesQuestion: Readonly<Record<KeyKind, Statement<readonly [number]>>> = {
  address: placesStatement('place_of_address where id = ?'),
  transactions: placesStatement('place_of_address where id = ? and lists & 1 <> 0'),
  transfers: placesStatement(`place_of_address where id = ? and lists & ${bitOf('?')} <> 0`),
  token: placesStatement('place_of_token where id = ? and lists & 1 <> 0'),
  holders: placesStatement('place_of_token where id = ? and lists & 2 <> 0'),
  hash: placesStatement('place_of_hash where id = ?'),
  pair: placesStatement('balance where address_id = ? and token_id = ?'),
}

function placesStatement(rows: string): Statement<readonly [number]> {
  const text: string = `select height from ${rows} and height >= ? and height < ? order by height`
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the compiler does not read a text that is put together
  return statement(text, { over: undefined }) as Statement<readonly [number]>
}

/** The bit of the list of transfers of a standard. */
function bitOf(standard: string): string {
  return `(case ${standard} when 20 then 2 when 721 then 4 else 8 end)`
}

type KeySource = {
  readonly in: keyof typeof tables
  readonly table: string
  readonly column: string
  /** Bit of the list, in the words of SQLite. */
  readonly list: string
}

/** Where the keys of a segment stand. */
const sources: Readonly<Record<HistoryStage, readonly KeySource[]>> = {
  blocks: [
    { in: 'address', table: 'evm_transaction_by_address', column: 'address_id', list: '1' },
    { in: 'address', table: 'transfer_by_address', column: 'address_id', list: bitOf('standard') },
    // Deposits and withdrawals are in no list.
    { in: 'address', table: 'balance', column: 'address_id', list: '16' },
    { in: 'token', table: 'transfer_by_token', column: 'token_id', list: '1' },
    { in: 'token', table: 'holding', column: 'token_id', list: '2' },
    { in: 'hash', table: 'evm_transaction_by_hash', column: 'hash_prefix', list: '1' },
    { in: 'hash', table: 'evm_block', column: 'hash_prefix', list: '2' },
  ],
  traces: [{ in: 'address', table: 'internal_by_address', column: 'address_id', list: '1' }],
  logs: [
    { in: 'address', table: 'log_by_address', column: 'address_id', list: '1' },
    { in: 'hash', table: 'log_by_topic', column: 'topic_key', list: '1' },
  ],
}

/** Writes the keys of segments of one stage, which are attached as `s0`, `s1` and so on, and begin at `heights`. */
export function writePlaces(
  { connection }: SegmentWriter,
  stage: HistoryStage,
  heights: readonly number[],
): void {
  for (const [kind, { name }] of Object.entries(tables)) {
    const own = sources[stage].filter((each) => each.in === kind)
    if (own.length === 0) continue
    const keys = heights.map((height, at) => {
      const all = own.map(
        ({ table: from, column, list }) =>
          `select distinct ${column} as id, ${list} as list from s${at}.${from}`,
      )
      return `select id, ${height}, sum(list) from (${all.join(' union all ')}) group by id`
    })
    connection.exec(`insert into main.${name} ${keys.join(' union all ')} order by 1, 2`)
  }
}

/** Rows of a table of an attached file, in the words of SQLite: its columns, and where they stand. */
export type AttachedRows = { readonly columns: string; readonly rows: string }

/**
 * The rows that the directory has of a segment of a stage, for each of its tables that is merged row by row. `columnsOf` gives those of a
 * table of the segment, which is attached as `source`.
 */
export function summedRows(
  stage: HistoryStage,
  source: string,
  columnsOf: (table: Table) => string,
): ReadonlyMap<Table, AttachedRows> {
  if (stage !== 'blocks') return new Map()
  const isNewest = `not exists (select 1 from ${source}.balance n where n.address_id = b.address_id
    and n.token_id = b.token_id and n.height > b.height)`
  const last = (column: string): string =>
    `(select b.${column} from ${source}.balance b where b.address_id = h.address_id
      and b.token_id = h.token_id order by b.height desc limit 1)`
  return new Map<Table, AttachedRows>([
    [balance, { columns: columnsOf(balance), rows: `from ${source}.balance b where ${isNewest}` }],
    [
      holder,
      {
        columns: `${columnsOf(holding)}, ${last('value')}, ${last('negative')}`,
        rows: `from ${source}.holding h where true`,
      },
    ],
  ])
}

/**
 * Files of the directory of the same heights: each has the keys from its `first` one on, until that of the next, in the order
 * of the tables and of their keys.
 */
export type DirectorySet = Heights & {
  readonly stage: HistoryStage
  readonly pieces: readonly ManifestSegment[]
}

/** Number of a table, and the beginning of a key in it. */
export type DirectoryKey = readonly number[]

/** Tables by their numbers, and how many columns of their key stay in one piece. */
export const numberedTables: readonly { readonly table: Table; readonly group: number }[] = [
  { table: tables.address, group: 1 },
  { table: tables.token, group: 1 },
  { table: tables.hash, group: 1 },
  { table: balance, group: 2 },
  { table: holder, group: 2 },
]
const numbers: Readonly<Record<KeyKind, number>> = {
  address: 0,
  transactions: 0,
  transfers: 0,
  token: 1,
  holders: 1,
  hash: 2,
  pair: 3,
}
/** The table whose rows of one address or token are in the order of the other. */
const sumsOf: Partial<Record<KeyKind, number>> = { address: 3, holders: 4 }

/** Number of the first table whose rows depend on those of files before. */
export const firstSummed = 3

/** The tables with keys from `from` on, below `until`: conditions of their rows. */
export function tablesBetween(
  from: DirectoryKey,
  until: DirectoryKey | undefined,
): readonly { readonly number: number; readonly table: Table; readonly where: string }[] {
  const [begin = 0, ...least] = from
  const [end = numberedTables.length, ...most] = until ?? []
  return numberedTables.flatMap(({ table, group }, number) => {
    if (number < begin || number > end || (number === end && most.length === 0)) return []
    const key = `(${table.key.slice(0, group).join(', ')})`
    const conditions = [
      ...(number === begin && least.length > 0 ? [`${key} >= (${least.join(', ')})`] : []),
      ...(number === end ? [`${key} < (${most.join(', ')})`] : []),
    ]
    return { number, table, where: conditions.length === 0 ? 'true' : conditions.join(' and ') }
  })
}

/** Compares keys of which the shorter one stands before all that begin with it. */
export function compareKeys(one: DirectoryKey, other: DirectoryKey): number {
  // Each question compares some: a loop over entries takes several times as long.
  for (let at = 0; at < one.length && at < other.length; at++) {
    const difference = itemAt(one, at) - itemAt(other, at)
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/** The file of a set in which places of a key stand. */
export function pieceOfPlaces(
  set: DirectorySet,
  of: KeyKind,
  key: readonly number[],
): ManifestSegment {
  return pieceOf(set, [numbers[of], ...key.slice(0, of === 'pair' ? 2 : 1)])
}

/** The file of a set in which the balances of a pair stand. */
export function pieceOfPair(
  set: DirectorySet,
  addressId: number,
  tokenId: number,
): ManifestSegment {
  return pieceOf(set, [numbers.pair, addressId, tokenId])
}

/**
 * The next file of a set with balances of an address, or holders of a token, after another address or token, and up to one;
 * `undefined` where there is none behind `last`.
 */
export function nextPiece(
  { pieces }: DirectorySet,
  last: ManifestSegment | undefined,
  of: {
    readonly kind: KeyKind
    readonly key: number
    readonly after: number
    readonly upTo: number
  },
): ManifestSegment | undefined {
  const { kind, key, after, upTo } = of
  const begin = [sumsOf[kind] ?? 0, key]
  if (last === undefined) return pieceOf({ pieces }, [...begin, after + 1])
  const next = pieces[pieces.indexOf(last) + 1]
  return next !== undefined && compareKeys(next.first ?? [], [...begin, upTo]) <= 0
    ? next
    : undefined
}

function pieceOf({ pieces }: Pick<DirectorySet, 'pieces'>, key: DirectoryKey): ManifestSegment {
  const found = pieces[firstWhere(pieces, ({ first = [] }) => compareKeys(first, key) > 0) - 1]
  assert(found !== undefined, 'a set begins with its first key')
  return found
}

/** Sets of files of the directory, by stage and in order of height. */
export function setsOf(directory: readonly ManifestSegment[]): readonly DirectorySet[] {
  const sets: (DirectorySet & { readonly pieces: ManifestSegment[] })[] = []
  for (const each of directory) {
    const last = sets.at(-1)
    if (last?.stage === each.stage && last.from === each.from) last.pieces.push(each)
    else sets.push({ stage: each.stage, from: each.from, until: each.until, pieces: [each] })
  }
  return sets
}

/** Segments of one stage whose places `directory` has. */
export function covered(
  segments: readonly ManifestSegment[],
  directory: readonly Heights[],
): readonly ManifestSegment[] {
  return segments.filter((segment) =>
    directory.some(({ from, until }) => segment.from >= from && segment.until <= until),
  )
}

/** The files of a stage in order of height. */
export type StageFiles = {
  readonly segments: readonly ManifestSegment[]
  readonly directory: readonly DirectorySet[]
  /** Segments that the directory has not. */
  readonly rest: readonly ManifestSegment[]
  /** Sets of the directory, and the segments that it has not. */
  readonly asked: readonly (ManifestSegment | DirectorySet)[]
}

/** The files of each stage. */
export function filesByStage(manifest: Manifest): Readonly<Record<HistoryStage, StageFiles>> {
  const of = (stage: HistoryStage): StageFiles => {
    const segments = segmentsOf(manifest, stage)
    const directory = setsOf(segmentsOf({ segments: manifest.directory }, stage))
    const known = new Set(covered(segments, directory))
    const rest = segments.filter((each) => !known.has(each))
    const asked = [...directory, ...rest].toSorted((one, other) => one.from - other.from)
    return { segments, directory, rest, asked }
  }
  return byStage(of)
}

/** Heights, half-open. */
export type Heights = { readonly from: number; readonly until: number }

/** Those of `files`, in order of height and apart from each other, that overlap `heights`. */
export function within<F extends Heights>(
  files: readonly F[],
  { from, until }: Heights,
): readonly F[] {
  const first = firstWhere(files, (each) => each.until > from)
  const end = firstWhere(files, (each) => each.from >= until)
  return first === 0 && end === files.length ? files : files.slice(first, end)
}

/** The one of `files`, in order of height and apart from each other, that has `height`. */
export function fileAt<F extends Heights>(files: readonly F[], height: number): F | undefined {
  const file = files[firstWhere(files, ({ until }) => until > height)]
  return file !== undefined && file.from <= height ? file : undefined
}

/** Place of the first of `files` for which `holds`, as for all behind it; their number where it does for none. */
function firstWhere<F>(files: readonly F[], holds: (file: F) => boolean): number {
  let [low, high] = [0, files.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const file = files[middle]
    if (file !== undefined && holds(file)) high = middle
    else low = middle + 1
  }
  return low
}
