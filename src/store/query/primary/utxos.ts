/** UTXOs by number, with the id of what spent them. */

import { keyOf } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { txStart } from '../../schema/primary/bodies.ts'
import {
  anyTraits,
  listOf,
  maxAmount,
  neededOf,
  traitsOfAsset,
} from '../../schema/primary/holding.ts'
import {
  chainOfNumber,
  type PrimaryChain,
  rewardKinds,
  prefixOf,
} from '../../schema/primary/position.ts'
import { type RowUtxo, utxosOfRow } from '../../schema/primary/utxo-row.ts'
import {
  bytes,
  integer,
  maybe,
  type RowOf,
  storedRow,
  bytesValue,
  bothOrders,
  worded,
} from '../stored-row.ts'
import { type BothOrders, mergeLists } from './merged-lists.ts'

/** One stored UTXO. Times are Unix seconds. */
export type StoredUtxo = {
  readonly id: number
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly createdOn: PrimaryChain
  readonly consumableOn: PrimaryChain
  /** Number of its asset. */
  readonly asset: number
  /** Bits of `utxoKinds`. */
  readonly kind: number
  /** Empty, or what the reward is for. */
  readonly reward: (typeof rewardKinds)[number]
  /** Wire form of the output, stakeable lock included. */
  readonly output: Uint8Array
  readonly createdPos: number
  readonly createdAt: number
  readonly spentPos: number | undefined
  readonly spentAt: number | undefined
  readonly spentBy: Uint8Array | undefined
  readonly stakeStart: number | undefined
  readonly stakeEnd: number | undefined
  /** When the stake came back. */
  readonly returnedAt: number | undefined
}

/** The row `u` that holds UTXO `j`, and what became of the UTXO. */
const utxoRow = storedRow({
  number: integer('j.value'),
  last: integer('u.id'),
  body: bytes('u.body'),
  spentPos: maybe(integer('s.pos')),
  spentAt: maybe(integer('s.spent_at')),
  spentBy: maybe(bytes('t.tx_id')),
  returnedAt: maybe(integer('r.returned_at')),
})
type UtxoFate = Omit<RowOf<typeof utxoRow>, 'number' | 'last' | 'body'>

// A row is under the number of its last UTXO.
const byNumbers = utxoRow.statement(
  (columns) => `select ${columns} from json_each(?) j
   cross join utxo u on u.id = (select min(id) from utxo where id >= j.value)
   left join spend s on s.utxo = j.value left join primary_transaction t on t.pos = s.pos
   left join stake_return r on r.utxo = j.value`,
  {
    over: 'tables',
    postgres: (columns) => `select ${columns}
      from (select value::bigint from json_array_elements_text(?::json)) j
      cross join lateral (select id, body from utxo where id >= j.value order by id limit 1) u
      left join spend s on s.utxo = j.value left join primary_transaction t on t.pos = s.pos
      left join stake_return r on r.utxo = j.value`,
  },
)

/** UTXOs by number, in the order of `ids`. Four seeks each at most. */
export async function utxosByNumber(reader: Reader, ids: readonly number[]): Promise<StoredUtxo[]> {
  if (ids.length === 0) return []
  const found = new Map<number, StoredUtxo>()
  for (const row of await reader.all(byNumbers, [JSON.stringify(ids)])) {
    const { number, last, body, ...fate } = utxoRow.read(row)
    const one = utxosOfRow(last, body).find((utxo) => utxo.number === number)
    if (one !== undefined) found.set(one.number, storedUtxo(one, fate))
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

function storedUtxo({ number: id, ...utxo }: RowUtxo, fate: UtxoFate): StoredUtxo {
  const { createdOn, consumableOn, reward = 0 } = utxo
  return {
    ...utxo,
    ...fate,
    id,
    createdOn: chainOfNumber(createdOn),
    consumableOn: chainOfNumber(consumableOn),
    reward: itemAt(rewardKinds, reward),
  }
}

/** An output of a transaction. */
type Place = { readonly txId: Uint8Array; readonly outputIndex: number }

const makers = worded(
  ({ list, number }) => `select t.tx_id, t.body from ${list}
   cross join primary_transaction_by_id i join primary_transaction t on t.pos = i.pos
   where i.prefix = ${number}`,
  { over: 'tables' },
)

const strays = worded(
  ({ list, number }) =>
    `select s.utxo from ${list} cross join stray_utxo s where s.prefix = ${number}`,
  { over: undefined },
)

/**
 * Numbers of the outputs that transactions made in order, at `places` and in their order; `undefined` where the
 * transaction made fewer. An output that is not in order (`stray_utxo`) may have the place of another's name.
 * Two seeks for each transaction.
 */
export async function orderedNumbersAt(
  reader: Reader,
  places: readonly Place[],
): Promise<(number | undefined)[]> {
  if (places.length === 0) return []
  const made = new Map<string, ReturnType<typeof txStart.fromStart>>()
  for (const [txId, body] of await reader.all(makers, [prefixesOf(places)]))
    made.set(keyOf(bytesValue(txId)), txStart.fromStart(bytesValue(body)))
  return places.map(({ txId, outputIndex }) => {
    const start = made.get(keyOf(txId))
    return start === undefined || outputIndex >= start.utxoCount
      ? undefined
      : start.firstUtxo + outputIndex
  })
}

/**
 * UTXOs at `places`, in their order, `undefined` where there is none. Two seeks for each
 * transaction, one for each UTXO.
 */
export async function utxosAt(
  reader: Reader,
  places: readonly Place[],
): Promise<(StoredUtxo | undefined)[]> {
  if (places.length === 0) return []
  const ordered = await orderedNumbersAt(reader, places)
  const numbers = ordered.filter((number) => number !== undefined)
  for (const [number] of await reader.all(strays, [prefixesOf(places)])) numbers.push(number)
  // Whether an output has the name that its place says shows its row.
  const found = await utxosByNumber(reader, numbers)
  const byName = new Map(found.map((row) => [nameOf(row), row]))
  return places.map((place) => byName.get(nameOf(place)))
}

function prefixesOf(places: readonly Place[]): string {
  return JSON.stringify([...new Set(places.map(({ txId }) => prefixOf(txId)))])
}

function nameOf({ txId, outputIndex }: Place): string {
  return `${outputIndex} ${keyOf(txId)}`
}

// UTXOs of addresses, by time or amount, strictly after a cursor.
//
// Order: (`created_at` or `amount`, number), either way: equals follow the order of creation. Each
// UTXO comes once, and only when enough of its owners were queried. Cost: one seek per address
// and about as many entries as come out, of `open_holding` or, of long lists by amount, its index
// `open_by_amount`; short lists are sorted by amount. As many again of `spent_holding` where asked
// for, but that by amount reads every entry of the addresses.

/** Where a page of this list ended. */
export type HoldingCursor = { readonly key: bigint; readonly utxo: number }

/** Parameters of the question. */
export type HoldingQuery = {
  /** Numbers of the addresses. */
  readonly addresses: readonly number[]
  readonly chain: PrimaryChain
  readonly sortBy: 'timestamp' | 'amount'
  readonly sortOrder: 'asc' | 'desc'
  readonly includeSpent: boolean
  /** Smallest unit, inclusive. */
  readonly minAmount: bigint
  /** Number of an asset. */
  readonly asset?: number | undefined
  readonly after?: HoldingCursor | undefined
  readonly limit: number
}

/** One entry: the cursor after it, and how many signatures the UTXO needs. */
export type Holding = HoldingCursor & { readonly needed: number }

type SortColumn = 'created_at' | 'amount'

function questionsOf(table: string, where = 'true'): Record<SortColumn, BothOrders> {
  const by = (column: SortColumn): BothOrders =>
    bothOrders((order, sign) =>
      statement<string>(
        `select ${column}, utxo, traits from ${table}
         where ${where} and list = ? and (${column}, utxo) ${sign} (?, ?)
           and amount >= ? and traits >= ? and traits < ?
         order by ${column} ${order}, utxo ${order} limit ?`,
        { bigints: true, over: undefined },
      ),
    )
  return { created_at: by('created_at'), amount: by('amount') }
}

const questions = {
  open: questionsOf('open_holding'),
  /** As `open`, of an ordered list. */
  ordered: questionsOf('open_holding', 'ordered = 1'),
  spent: questionsOf('spent_holding'),
} as const

const lowest: HoldingCursor = { key: -1n, utxo: -1 }
const highest: HoldingCursor = { key: maxAmount, utxo: Number.MAX_SAFE_INTEGER }

const orderedOf = worded(
  ({ list, number }) =>
    `select o.list from ${list} cross join ordered_list o where o.list = ${number}`,
  { over: undefined },
)

/** The lists among `lists` that are kept by amount. */
async function orderedLists(reader: Reader, lists: readonly number[]): Promise<Set<number>> {
  const rows = await reader.all(orderedOf, [JSON.stringify(lists)])
  return new Set(rows.map(([list]) => list))
}

/** The spent or unspent entries of an address. */
type List = { readonly list: number; readonly of: keyof typeof questions }

/** Entries of the page; rows are read by `utxosByNumber`. */
export async function utxosOfAddresses(reader: Reader, query: HoldingQuery): Promise<Holding[]> {
  const { sortOrder, chain, minAmount, asset } = query
  const column = query.sortBy === 'amount' ? 'amount' : 'created_at'
  const sign = sortOrder === 'asc' ? 1 : -1
  const start = query.after ?? (sortOrder === 'asc' ? lowest : highest)
  const traits = asset === undefined ? anyTraits : traitsOfAsset(asset)
  const numbers = query.addresses.map((address) => listOf(address, chain))
  const ordered = column === 'amount' ? await orderedLists(reader, numbers) : undefined
  const open = numbers.map((list): List => ({
    list,
    of: ordered?.has(list) === true ? 'ordered' : 'open',
  }))
  const spent = query.includeSpent ? numbers.map((list): List => ({ list, of: 'spent' })) : []
  return mergeLists<List, Holding>({
    lists: [...open, ...spent],
    limit: query.limit,
    compare: (a, b) => sign * compareHoldings(a, b),
    accepts: ({ needed }, times) => times >= needed,
    read: async ({ list, of }, after, limit) => {
      const { key, utxo } = after ?? start
      const values = [list, key, utxo, minAmount, traits.from, traits.until, limit]
      const rows = await reader.all(questions[of][column][sortOrder], values)
      return rows.map((row) => ({
        key: bigintOf(row[0]),
        utxo: Number(row[1]),
        needed: neededOf(Number(row[2])),
      }))
    },
  })
}

function bigintOf(value: unknown): bigint {
  if (typeof value === 'bigint') return value
  throw new Fault('store-failed', `a stored amount is no integer: ${typeof value}`)
}

function compareHoldings(a: HoldingCursor, b: HoldingCursor): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1
  return a.utxo - b.utxo
}
