/** Logs of a chain that keeps all of them, by contracts and topics. */

import { to0x, toHex } from '../../../core/bytes.ts'
import { assert } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import { type KeyKind, type Reader, type Statement, statement } from '../../engine/database.ts'
import { topicKey } from '../../schema/logs.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import {
  bothOrders,
  hash,
  hex,
  integer,
  integerValue,
  type RowOf,
  storedRow,
  worded,
} from '../stored-row.ts'
import { addressesOfIds, addressIds } from './addresses.ts'
import { type Direction, heightOf, overOf, type PosRange } from './position.ts'

const logRow = storedRow({
  pos: integer('l.pos'),
  /** Place of its transaction in the block. */
  txIndex: integer('l.tx_index'),
  addressId: integer('l.address_id'),
  /** All of them as one text, 64 digits each. */
  topics: hex('l.topics'),
  data: hex('l.data'),
  txHash: hash('t.hash'),
  blockHash: hash('b.hash'),
  /** Unix seconds. */
  blockTimestamp: integer('b.timestamp'),
})

type StoredLog = RowOf<typeof logRow>

/** A log; bytes are `0x` and lower-case digits. */
export type LogRow = StoredLog & { readonly address: string }

/** The topics of a log, `0x` and 64 digits each. */
export function topicsOf({ topics }: LogRow): string[] {
  return Array.from(
    { length: (topics.length - 2) / 64 },
    (_, place) => `0x${topics.slice(2 + place * 64, 66 + place * 64)}`,
  )
}

/** Conditions of logs; all that are given must hold. */
export type LogFilter = {
  /** Any of these contracts, 20 bytes each. */
  readonly addresses?: readonly Uint8Array[] | undefined
  /** By their places any of these, 32 bytes each; `undefined`: any. */
  readonly topics: readonly (readonly Uint8Array[] | undefined)[]
}

type Range = PosRange & { readonly order: Direction }

/** Logs found, and up to where was looked, inclusive, when there was more to look at. */
export type FoundLogs = { readonly rows: readonly LogRow[]; readonly lookedTo?: number }

/** Rows looked at for one page: what is rare under two conditions takes several pages. */
const mostRows = 10_000

/**
 * Logs inside `range` that pass `filter`, in order, at most `limit`. Cost: one scan of the shortest list of
 * a condition, of at most 10,000 entries.
 */
export async function logsMatching(
  store: Reader,
  { filter, range, limit }: { filter: LogFilter; range: Range; limit: number },
): Promise<FoundLogs> {
  const rows: LogRow[] = []
  let looked = 0
  for await (const slice of slicesOf(store, filter, range, limit)) {
    for (const row of slice.rows) {
      rows.push(row)
      if (rows.length === limit) return { rows }
    }
    looked += slice.looked
    if (looked >= mostRows) return { rows, lookedTo: slice.lookedTo }
  }
  return { rows }
}

type Slice = {
  readonly rows: readonly LogRow[]
  /** How many were looked at for them, and up to which, inclusive. */
  readonly looked: number
  readonly lookedTo: number
}

/**
 * Logs inside `range` that pass `filter`, oldest first.
 *
 * @yields a few hundred at once
 */
export async function* oldestLogs(
  store: Reader,
  filter: LogFilter,
  range: PosRange,
): AsyncGenerator<readonly LogRow[]> {
  for await (const { rows } of slicesOf(store, filter, { ...range, order: 'asc' })) yield rows
}

/** @yields what was found of the next `first` logs, then of more at once */
async function* slicesOf(
  store: Reader,
  filter: LogFilter,
  range: Range,
  first = rowsAtOnce,
): AsyncGenerator<Slice> {
  const lists = await listsOf(store, filter)
  const passes = conditionOf(filter, lists)
  const list = lists.length === 0 ? undefined : await shortest(store, lists, range)
  if (list?.keys.length === 0) return
  const others = lists.filter((other) => other !== list && other.keys.length <= mostKeys)
  const { order } = range
  let { from, until } = range
  for (let most = Math.min(first, rowsAtOnce); ; most = rowsAtOnce) {
    const { items, looked, lookedTo } =
      list === undefined
        ? await inOrder(store, { from, until, order }, most)
        : await ofLists(store, [list, ...others], { from, until, order }, most)
    const rows = await withAddresses(store, items.filter(passes))
    if (looked > 0) yield { rows, looked, lookedTo: lookedTo ?? until }
    if (lookedTo === undefined) return
    if (order === 'asc') from = lookedTo + 1
    else until = lookedTo
  }
}

/** Addresses of contracts are in tables alone, whatever is frozen. */
async function withAddresses(store: Reader, rows: readonly StoredLog[]): Promise<LogRow[]> {
  const ids = unique(rows.map((row) => row.addressId))
  const addresses = await addressesOfIds(store, ids)
  const texts = new Map(addresses.map((bytes, at) => [itemAt(ids, at), to0x(bytes)]))
  return rows.map((row) => {
    const address = texts.get(row.addressId)
    assert(address !== undefined, 'the contract of a stored log is stored')
    return { ...row, address }
  })
}

const rowsAtOnce = 500

const places = `join log_block b on b.height = l.pos / ${placesPerBlock}
  join log_transaction t on t.pos = l.pos / ${placesPerBlock} * ${placesPerBlock} + l.tx_index`
const inRange = bothOrders((order) =>
  logRow.statement(
    (columns) => `select ${columns} from log_entry l ${places}
     where l.pos >= ? and l.pos < ? order by l.pos ${order} limit ?`,
    { over: overOf[order], within: { pos: [0, 1] }, stage: 'logs' },
  ),
)
/** Always true. Two places say which files have those that are listed. */
const areListed = 'cast(? as bigint) <= cast(? as bigint)'
const atPlaces = bothOrders((order) =>
  logRow.statement(
    (columns, { list, number }) => `select ${columns} from ${list}
     join log_entry l on l.pos = ${number} ${places} where ${areListed} order by l.pos ${order}`,
    { over: overOf[order], within: { pos: [1, 2] }, stage: 'logs' },
  ),
)

/** Lists of one condition, any of whose keys will do. */
type List = { readonly table: keyof typeof placesIn; readonly keys: readonly number[] }

/** Keys of another list that are looked for at a place; with more of them the log itself is read sooner. */
const mostKeys = 16

const placesIn = {
  address: questionsOf('log_by_address', 'address_id', 'address'),
  topic: questionsOf('log_by_topic', 'topic_key', 'hash'),
} as const

function questionsOf(
  table: string,
  key: string,
  of: KeyKind,
): Readonly<Record<Direction, Statement>> & { readonly also: Statement } {
  const keys = Array.from({ length: mostKeys }, () => '?').join(', ')
  return {
    ...bothOrders((order) =>
      statement<string>(
        `select pos from ${table} where ${key} = ? and pos >= ? and pos < ?
         order by pos ${order} limit ?`,
        { over: overOf[order], within: { pos: [1, 2] }, stage: 'logs', key: { of, at: [0] } },
      ),
    ),
    also: worded(
      ({ list, number }): string => `select ${number} from ${list} where exists
        (select 1 from ${table} l where l.pos = ${number} and l.${key} in (${keys})) and ${areListed}`,
      { over: 'oldest', within: { pos: [mostKeys + 1, mostKeys + 2] }, stage: 'logs' },
    ),
  }
}

/** The lists of all conditions, the contracts' first. */
async function listsOf(store: Reader, { addresses, topics }: LogFilter): Promise<List[]> {
  const lists: List[] = []
  if (addresses !== undefined) {
    const ids = await addressIds(store, addresses)
    lists.push({ table: 'address', keys: unique(ids.filter((id) => id !== undefined)) })
  }
  for (const [place, wanted] of topics.entries())
    if (wanted !== undefined)
      lists.push({ table: 'topic', keys: unique(wanted.map((topic) => topicKey(place, topic))) })
  return lists
}

function unique(keys: readonly number[]): number[] {
  return [...new Set(keys)]
}

/**
 * Entries of a list that are counted to find the shortest one: a longer one is long. Of one that is shorter than a few, the
 * others need not be looked at far.
 */
const counted = [32, 2_000] as const

async function shortest(store: Reader, lists: readonly List[], range: Range): Promise<List> {
  let best = itemAt(lists, 0)
  if (lists.length === 1) return best
  for (const most of counted) {
    let least: number = most
    for (const list of lists) {
      const count = await countOf(store, list, range, least)
      // Of two that are as long the contract's is the better one.
      if (count >= least) continue
      best = list
      least = count
    }
    if (least < most) break
  }
  return best
}

/** Entries of a list inside of a range, up to `most`. */
async function countOf(
  store: Reader,
  { table, keys }: List,
  { from, until, order }: Range,
  most: number,
): Promise<number> {
  let count = 0
  for (const key of keys) {
    if (count >= most) break
    count += (await store.all(placesIn[table][order], [key, from, until, most - count])).length
  }
  return count
}

/** The next logs that are in one of the lists of each condition. */
async function ofLists(
  store: Reader,
  [{ table, keys }, ...others]: readonly [List, ...List[]],
  { from, until, order }: Range,
  most: number,
): Promise<Looked> {
  const each = Math.max(16, Math.ceil(most / keys.length))
  const found = new Set<number>()
  // What follows the end of a list that has more may be in another one, too.
  let lookedTo: number | undefined
  for (const key of keys) {
    const rows = await store.all(placesIn[table][order], [key, from, until, each])
    for (const [pos] of rows) found.add(integerValue(pos))
    if (rows.length < each) continue
    const last = integerValue(rows.at(-1)?.[0])
    if (lookedTo === undefined) lookedTo = last
    else lookedTo = order === 'asc' ? Math.min(lookedTo, last) : Math.max(lookedTo, last)
  }
  const end = lookedTo
  const sign = order === 'asc' ? 1 : -1
  let wanted = [...found]
    .filter((pos) => end === undefined || (pos - end) * sign <= 0)
    .toSorted((one, other) => (one - other) * sign)
  const looked = wanted.length
  for (const other of others) {
    const marks = Array.from({ length: mostKeys }, (_, at) =>
      itemAt(other.keys, at % other.keys.length),
    )
    const left: number[] = []
    for (const { list, ends } of byFile(store, wanted))
      for (const [pos] of await store.all(placesIn[other.table].also, [list, ...marks, ...ends]))
        left.push(integerValue(pos))
    wanted = left
  }
  const items: StoredLog[] = []
  for (const { list, ends } of byFile(store, wanted))
    items.push(...(await logRow.all(store, atPlaces[order], [list, ...ends])))
  return { items, looked, lookedTo }
}

/** Places in order, for one question to each file that has some: one question about all would read the files between. */
function byFile(
  { history }: Reader,
  places: readonly number[],
): { readonly list: string; readonly ends: readonly [number, number] }[] {
  const files = Map.groupBy(places, (pos) => history?.fileOf('logs', heightOf(pos)))
  return [...files.values()].map((some) => {
    const [first, last] = [itemAt(some, 0), itemAt(some, some.length - 1)]
    const ends = first < last ? ([first, last] as const) : ([last, first] as const)
    return { list: JSON.stringify(some), ends }
  })
}

/** Rows, how many places were looked at for them, and up to which, where there may be more. */
type Looked = {
  readonly items: readonly StoredLog[]
  readonly looked: number
  readonly lookedTo: number | undefined
}

/** The next logs. */
async function inOrder(
  store: Reader,
  { from, until, order }: Range,
  most: number,
): Promise<Looked> {
  const items = await logRow.all(store, inRange[order], [from, until, most])
  return { items, looked: items.length, lookedTo: items.at(most - 1)?.pos }
}

/** All conditions on a log itself. */
function conditionOf({ topics }: LogFilter, lists: readonly List[]): (row: StoredLog) => boolean {
  const contracts = lists.find(({ table }) => table === 'address')?.keys
  const ids = contracts && new Set(contracts)
  const wanted = topics.map((all) => all && new Set(all.map(toHex)))
  return (row) =>
    ids?.has(row.addressId) !== false &&
    wanted.every(
      (all, place) => all?.has(row.topics.slice(2 + place * 64, 66 + place * 64)) !== false,
    )
}
