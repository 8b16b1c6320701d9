/**
 * UTXOs of addresses, by time or amount, strictly after a cursor.
 *
 * Order: (`created_at` or `amount`, number), either way: equals follow the order of creation. Each
 * UTXO comes once, and only when enough of its owners were asked for. Cost: one seek per address
 * and about as many entries as come out, of `open_holding` or, of long lists by amount, its index
 * `open_by_amount`; short lists are sorted by amount. As many again of `spent_holding` where asked
 * for, but that by amount reads every entry of the addresses.
 */

import { Fault } from '../../../core/fault.ts'
import { type Reader, statement, type Statement } from '../../engine/database.ts'
import {
  anyTraits,
  listOf,
  maxAmount,
  neededOf,
  traitsOfAsset,
} from '../../schema/primary-holding.ts'
import type { PrimaryChain } from '../../schema/primary-position.ts'
import { mergeLists } from './merged-lists.ts'

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

type Direction = 'asc' | 'desc'
type SortColumn = 'created_at' | 'amount'

type Entries = { readonly table: string; readonly where?: string }

function question(entries: Entries, column: SortColumn, direction: Direction): Statement {
  const sign = direction === 'asc' ? '>' : '<'
  return statement(
    `select ${column}, utxo, traits from ${entries.table}
     where ${entries.where ?? 'true'} and list = ? and (${column}, utxo) ${sign} (?, ?)
       and amount >= ? and traits >= ? and traits < ?
     order by ${column} ${direction}, utxo ${direction} limit ?`,
    { bigints: true },
  )
}

function questionsOf(entries: Entries): Record<SortColumn, Record<Direction, Statement>> {
  const both = (column: SortColumn): Record<Direction, Statement> => ({
    asc: question(entries, column, 'asc'),
    desc: question(entries, column, 'desc'),
  })
  return { created_at: both('created_at'), amount: both('amount') }
}

const questions = {
  open: questionsOf({ table: 'open_holding' }),
  /** As `open`, of an ordered list. */
  ordered: questionsOf({ table: 'open_holding', where: 'ordered = 1' }),
  spent: questionsOf({ table: 'spent_holding' }),
} as const

const lowest: HoldingCursor = { key: -1n, utxo: -1 }
const highest: HoldingCursor = { key: maxAmount, utxo: Number.MAX_SAFE_INTEGER }

const orderedOf = statement(
  'select o.list from json_each(?) j cross join ordered_list o where o.list = j.value',
  {
    postgres: `select o.list from json_array_elements_text(?::json) j
      join ordered_list o on o.list = j.value::bigint`,
  },
)

/** The lists among `lists` that are kept by amount. */
async function orderedLists(reader: Reader, lists: readonly number[]): Promise<Set<number>> {
  const rows = await reader.all(orderedOf, [JSON.stringify(lists)])
  return new Set(rows.map(([list]) => Number(list)))
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
