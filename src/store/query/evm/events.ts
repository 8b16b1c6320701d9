/** Logs: those of a chain that keeps all of them, and those a transaction's rows name. */

import { equalBytes } from '../../../core/bytes.ts'
import { itemAt } from '../../../core/item-at.ts'
import { type Reader, type Statement, statement, type Value } from '../../engine/database.ts'
import { block, tx } from '../../schema/evm.ts'
import { topicKey } from '../../schema/logs.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import {
  bytesValue,
  integerValue,
  bytes,
  integer,
  type RowOf,
  storedRow,
  bothOrders,
} from '../stored-row.ts'
import { addressesOfIds, addressId } from './addresses.ts'
import { hashPrefix, type PosRange, heightOf, placeOf, posOfHeight } from './position.ts'

/** A log. */
export type LogRow = {
  readonly pos: number
  /** Place of its transaction in the block. */
  readonly txIndex: number
  readonly address: Uint8Array
  /** 32 bytes each. */
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

/** Conditions of logs; all that are given must hold. */
type LogFilter = {
  readonly address: Uint8Array | undefined
  /** By their places; `undefined`: any, or none. */
  readonly topics: readonly (Uint8Array | undefined)[]
}

/** Logs found, and up to where was looked, inclusive, when there was more to look at. */
export type FoundLogs = { readonly rows: readonly LogRow[]; readonly lookedTo?: number }

type Order = 'asc' | 'desc'

const columns = 'l.pos, l.tx_index, a.bytes, l.topics, l.data'
const joined = 'join log_entry l on l.pos = k.pos join address a on a.id = l.address_id'
const within = 'k.pos >= ? and k.pos < ?'
const ordered = (source: string, condition: string): Readonly<Record<Order, Statement>> =>
  bothOrders((order) =>
    statement(
      `select ${columns} from ${source} where ${condition} order by k.pos ${order} limit ?`,
    ),
  )
const questions = {
  address: ordered(`log_by_address k ${joined}`, `k.address_id = ? and ${within}`),
  topic: ordered(`log_by_topic k ${joined}`, `k.topic = ? and ${within}`),
  all: ordered(
    'log_entry k join log_entry l on l.pos = k.pos join address a on a.id = l.address_id',
    within,
  ),
}

/** Rows read at once, and for one page: what is rare under two conditions takes several pages. */
const rowsAtOnce = 500
const mostRows = 10_000

/**
 * Logs inside `range` that pass `filter`, in order, at most `limit`.
 *
 * Cost: one range scan of the list of the condition that is usually rarest (a later topic, the
 * contract, the first topic), of at most 10,000 entries.
 */
export async function logsMatching(
  store: Reader,
  query: {
    readonly filter: LogFilter
    readonly range: PosRange
    readonly order: Order
    readonly limit: number
  },
): Promise<FoundLogs> {
  const { filter, order, limit } = query
  const list = await listOf(store, filter)
  if (list === undefined) return { rows: [] }
  let { from, until } = query.range
  const rows: LogRow[] = []
  for (let looked = 0; looked < mostRows; looked += rowsAtOnce) {
    const parameters = [...list.key, from, until, rowsAtOnce]
    const found = (await store.all(list.question[order], parameters)).map(logOf)
    for (const row of found) {
      if (!passes(row, filter)) continue
      rows.push(row)
      if (rows.length === limit) return { rows }
    }
    if (found.length < rowsAtOnce) return { rows }
    const { pos } = itemAt(found, found.length - 1)
    if (order === 'asc') from = pos + 1
    else until = pos
  }
  return { rows, lookedTo: order === 'asc' ? from - 1 : until }
}

type List = { readonly question: Readonly<Record<Order, Statement>>; readonly key: Value[] }

/** The list to scan; `undefined` where no log can pass. */
async function listOf(store: Reader, { address, topics }: LogFilter): Promise<List | undefined> {
  const later = topics.findLastIndex((topic) => topic !== undefined)
  const topic = topics[later]
  if (topic !== undefined && (later > 0 || address === undefined))
    return { question: questions.topic, key: [topicKey(later, hashPrefix(topic))] }
  if (address === undefined) return { question: questions.all, key: [] }
  const id = await addressId(store, address)
  return id === undefined ? undefined : { question: questions.address, key: [id] }
}

function logOf(row: readonly (Value | undefined)[]): LogRow {
  const [pos = null, txIndex = null, address = null, topics = null, data = null] = row
  const all = bytesValue(topics)
  return {
    pos: integerValue(pos),
    txIndex: integerValue(txIndex),
    address: bytesValue(address),
    topics: Array.from({ length: all.length / 32 }, (_, at) => all.subarray(at * 32, at * 32 + 32)),
    data: bytesValue(data),
  }
}

function passes(row: LogRow, { address, topics }: LogFilter): boolean {
  if (address !== undefined && !equalBytes(row.address, address)) return false
  return topics.every((wanted, place) => {
    const topic = row.topics[place]
    return wanted === undefined || (topic !== undefined && equalBytes(topic, wanted))
  })
}

/** Where a log lies: its block and its transaction. */
export type LogPlace = {
  readonly blockHash: Uint8Array
  readonly blockTimestamp: number
  readonly txHash: Uint8Array
}

/**
 * Places of logs in the chain's own store, by their order; `undefined` for one whose block was
 * removed meanwhile. Cost: two look-ups by key a log.
 */
export async function placesOfLogs(
  chain: Reader,
  logs: readonly { readonly height: number; readonly txPos: number }[],
): Promise<(LogPlace | undefined)[]> {
  const blocks = await chain.lookup(
    { table: block, key: ['height'], select: ['hash', 'timestamp'] },
    [logs.map(({ height }) => height)],
  )
  const hashes = await chain.lookup({ table: tx, key: ['pos'], select: ['hash'] }, [
    logs.map(({ txPos }) => txPos),
  ])
  return logs.map((_, at) => {
    const [blockHash = null, timestamp = null] = blocks[at] ?? []
    const [txHash = null] = hashes[at] ?? []
    if (blockHash === null || txHash === null) return undefined
    return {
      blockHash: bytesValue(blockHash),
      blockTimestamp: integerValue(timestamp),
      txHash: bytesValue(txHash),
    }
  })
}

/** A log `e`. */
const eventRow = storedRow({
  /** A value of `eventKinds` in the codec. */
  kind: integer('e.kind'),
  addressId: integer('e.address_id'),
  /** Topics after the first, 32 bytes each. */
  topics: bytes('e.topics'),
  data: bytes('e.data'),
})
/** One log, and the contract that logged it. */
export type EventRow = Omit<RowOf<typeof eventRow>, 'addressId'> & { readonly contract: Uint8Array }

const question = eventRow.statement(
  (columns) => `select ${columns} from event e
   where e.pos >= ? and e.pos < ? and e.tx_index = ?
   order by e.pos`,
  { over: 'oldest', within: { pos: [0, 1] } },
)

/** Kept logs of the transaction at `txPos`, in order. Cost: a scan of the block's kept logs, a look-up each. */
export async function eventsOfTransaction(store: Reader, txPos: number): Promise<EventRow[]> {
  const from = posOfHeight(heightOf(txPos))
  const rows = await store.all(question, [from, from + placesPerBlock, placeOf(txPos)])
  const events = rows.map(eventRow.read)
  const addresses = await addressesOfIds(
    store,
    events.map(({ addressId }) => addressId),
  )
  return events.map(({ addressId: _id, ...event }, at) => ({
    ...event,
    contract: itemAt(addresses, at),
  }))
}
