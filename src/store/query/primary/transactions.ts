/** Transactions: by place or id, the latest of a chain, those of addresses, an asset, an L1 validation. */

import { xTypes } from '../../../core/type-ids.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { txBody, txStart } from '../../schema/primary/bodies.ts'
import { posRangeOf, prefixOf, type PrimaryChain } from '../../schema/primary/position.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import {
  body,
  bytes,
  integer,
  maybe,
  type RowOf,
  storedRow,
  bothOrders,
  worded,
} from '../stored-row.ts'
import { type BothOrders, mergeLists } from './merged-lists.ts'

/** A transaction `t` and its block `b`. */
const transactionRow = storedRow({
  pos: integer('t.pos'),
  txId: bytes('t.tx_id'),
  /** Absent for what the X-Chain had before its blocks. */
  blockHash: maybe(bytes('b.hash')),
  body: body('t.body', txBody),
})
/** One stored transaction. */
export type StoredTransaction = RowOf<typeof transactionRow> & {
  /** Wire type id, of its chain. */
  readonly type: number
  /** False for a proposal that was voted down. */
  readonly committed: boolean
  /** Unix seconds. */
  readonly timestamp: number
  /** The UTXOs it made: `count` from number `first` on. */
  readonly made: { readonly first: number; readonly count: number }
  /** Numbers of the UTXOs it spent. */
  readonly spent: readonly number[]
}

const byPlaces = transactionRow.statement(
  (columns, { list, number }) => `select ${columns} from ${list} cross join primary_transaction t
   left join primary_block b on b.id = t.pos / ${placesPerBlock} where t.pos = ${number}`,
  { over: 'tables' },
)

const lateSpends = worded(
  ({ list, number }) =>
    `select l.pos, l.utxo from ${list} cross join late_spend l where l.pos = ${number}`,
  { over: undefined },
)

/** Transactions at `places`, in their order. Three seeks each. */
export async function transactionsAt(
  reader: Reader,
  places: readonly number[],
): Promise<StoredTransaction[]> {
  if (places.length === 0) return []
  const rows = await reader.all(byPlaces, [JSON.stringify(places)])
  const late = new Map<number, number[]>()
  for (const row of await reader.all(lateSpends, [JSON.stringify(places)])) {
    const pos = row[0]
    late.set(pos, [...(late.get(pos) ?? []), row[1]])
  }
  const found = new Map(
    rows.map(transactionRow.read).map((row) => [row.pos, withFacts(row, late.get(row.pos) ?? [])]),
  )
  return places.flatMap((pos) => found.get(pos) ?? [])
}

const bodies = worded(
  ({ list, number }) =>
    `select t.pos, t.body from ${list} cross join primary_transaction t where t.pos = ${number}`,
  { over: 'tables' },
)

/** Times of transactions by place, Unix seconds. One seek each. */
export async function timesOfPlaces(
  reader: Reader,
  places: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (places.length === 0) return new Map()
  const rows = await reader.all(bodies, [JSON.stringify(places)])
  return new Map(rows.map((row) => [row[0], txStart.fromStart(row[1]).time]))
}

const byId = statement(
  `select t.pos from primary_transaction_by_id i join primary_transaction t on t.pos = i.pos
   where i.prefix = ? and i.pos >= ? and i.pos < ? and t.tx_id = ? order by i.pos limit 1`,
  { over: 'tables' },
)

/**
 * The transaction with this id on `chain`. Ids of some old ones are not unique; the first counts,
 * as in nodes. One seek of `primary_transaction_by_id`, and one for each id that
 * begins alike.
 */
export async function transactionById(
  reader: Reader,
  chain: PrimaryChain,
  txId: Uint8Array,
): Promise<StoredTransaction | undefined> {
  const { from, until } = posRangeOf(chain)
  const row = await reader.get(byId, [prefixOf(txId), from, until, txId])
  return row === undefined ? undefined : (await transactionsAt(reader, [row[0]]))[0]
}

function withFacts(row: RowOf<typeof transactionRow>, late: readonly number[]): StoredTransaction {
  const { typeId, committed, time, firstUtxo, utxoCount, spent } = row.body
  return {
    ...row,
    type: typeId,
    committed,
    timestamp: time,
    made: { first: firstUtxo, count: utxoCount },
    spent: late.length === 0 ? spent : [...spent, ...late],
  }
}

// Every store numbers AVAX first; ordinary transfers of it are not listed.
const avax = 1

const questions = bothOrders((order) =>
  worded(
    ({ list, number }) => `select pos from primary_transaction_by_asset
     where asset = ? and pos >= ? and pos < ?
       and (? = 0 or type in (select ${number} from ${list})) order by pos ${order} limit ?`,
    { over: 'tables' },
  ),
)

/** An asset, by number, and wire types of transactions; all types where absent. */
type AssetPlaceQuery = PlaceQuery & {
  readonly asset: number
  readonly types?: readonly number[] | undefined
}

/**
 * Places in order. One range of `primary_transaction_by_asset`; where ordinary transfers of AVAX are wanted, one of
 * `primary_transaction`, in which those of other types are passed over.
 */
export async function transactionsOfAsset(
  reader: Reader,
  query: AssetPlaceQuery,
): Promise<number[]> {
  const { asset, types, from, until, order, limit } = query
  if (asset === avax && types === undefined) return latestTransactions(reader, query)
  if (asset === avax && types?.includes(xTypes.BaseTx) === true)
    return ofTypes(reader, query, types)
  const filter = [types === undefined ? 0 : 1, JSON.stringify(types ?? [])]
  const rows = await reader.all(questions[order], [asset, from, until, ...filter, limit])
  return rows.map(([pos]) => pos)
}

const withBodies = bothOrders((order) =>
  statement(
    `select pos, body from primary_transaction where pos >= ? and pos < ? order by pos ${order} limit ?`,
    { over: 'tables' },
  ),
)
const readAtOnce = 500

async function ofTypes(
  reader: Reader,
  query: PlaceQuery,
  types: readonly number[],
): Promise<number[]> {
  const found: number[] = []
  let { from, until } = query
  for (;;) {
    const rows = await reader.all(withBodies[query.order], [from, until, readAtOnce])
    for (const [pos, body] of rows) {
      if (types.includes(txStart.fromStart(body).typeId)) found.push(pos)
      if (found.length === query.limit) return found
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < readAtOnce) return found
    if (query.order === 'asc') from = last[0] + 1
    else until = last[0]
  }
}

// Places of transactions: the latest of a chain, those of addresses, those of an L1 validation.
//
// Order: place, either way, strictly within (`from`, `until`). Each comes once.

/** Range, count and direction of the places to read. */
export type PlaceQuery = {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly until: number
  readonly order: 'asc' | 'desc'
  readonly limit: number
}

const latest = bothOrders((order) =>
  statement(
    `select pos from primary_transaction where pos >= ? and pos < ? order by pos ${order} limit ?`,
    { over: 'tables' },
  ),
)

/** Transactions of whatever kind. One range of the key. */
export async function latestTransactions(reader: Reader, query: PlaceQuery): Promise<number[]> {
  const rows = await reader.all(latest[query.order], [query.from, query.until, query.limit])
  return rows.map(([pos]) => pos)
}

const listQuestion = (join: string, condition: string): BothOrders =>
  bothOrders((order) =>
    worded(
      ({ list, number }) => `select a.pos from primary_transaction_by_address a ${join}
       where a.address_id = ? and a.pos >= ? and a.pos < ? ${condition}
         and (? = 0 or a.type in (select ${number} from ${list})) order by a.pos ${order} limit ?`,
      { over: 'tables' },
    ),
  )

const anyOfAddress = listQuestion('', '')
const openStakesOfAddress = listQuestion('join staker s on s.pos = a.pos', 'and s.status in (0, 1)')

/** Parameters of {@link transactionsOfAddresses}. */
type AddressPlaceQuery = PlaceQuery & {
  /** Numbers of addresses. */
  readonly addresses: readonly number[]
  /** Wire type ids; absent: all. */
  readonly types?: readonly number[] | undefined
  /** Only staking transactions whose stake is pending or active. */
  readonly onlyOpenStakes?: boolean
}

/**
 * Transactions that concern any of `addresses`. One range of `primary_transaction_by_address` each; those of other
 * types are passed over in it.
 */
export async function transactionsOfAddresses(
  reader: Reader,
  query: AddressPlaceQuery,
): Promise<number[]> {
  const { order, types } = query
  const list = (query.onlyOpenStakes === true ? openStakesOfAddress : anyOfAddress)[order]
  const sign = order === 'asc' ? 1 : -1
  return mergeLists<number, number>({
    lists: query.addresses,
    limit: query.limit,
    compare: (a, b) => sign * (a - b),
    accepts: () => true,
    read: async (address, after, limit) => {
      const from = after === undefined || order === 'desc' ? query.from : after + 1
      const until = after === undefined || order === 'asc' ? query.until : after
      const filter = [types === undefined ? 0 : 1, JSON.stringify(types ?? [])]
      const rows = await reader.all(list, [address, from, until, ...filter, limit])
      return rows.map(([pos]) => Number(pos))
    },
  })
}

const ofValidation = bothOrders((order) =>
  statement(
    `select c.pos from l1_change c join primary_transaction t on t.pos = c.pos
     where c.l1_id = ? and c.pos >= ? and c.pos < ? order by c.height ${order}, c.pos ${order}`,
    { over: 'tables' },
  ),
)

/** Transactions about an L1 validation, by its number. A validation has few. */
export async function transactionsOfValidation(
  reader: Reader,
  l1Id: number,
  query: PlaceQuery,
): Promise<number[]> {
  const rows = await reader.all(ofValidation[query.order], [l1Id, query.from, query.until])
  return [...new Set(rows.map(([pos]) => pos))]
}
