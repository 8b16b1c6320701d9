/**
 * UTXOs of addresses, by time or amount, strictly after a cursor.
 *
 * Order: (`created_at` or `amount`, tie, number), either way; ties follow the UTXO id. Each UTXO
 * comes once, and only when enough of its owners were asked for. Cost: one seek per address and
 * about as many entries as come out: unspent ones by `holding_open` or `holding_open_by_amount`,
 * all by time by the table's key. All by amount reads every entry of the addresses.
 */

import { Fault } from '../../../core/fault.ts'
import { type Reader, statement, type Statement } from '../../engine/database.ts'
import { chainNumbers, maxAmount, type PrimaryChain } from '../../schema/primary-position.ts'
import { mergeLists } from './merged-lists.ts'

/** Where a page of this list ended. */
export type HoldingCursor = { readonly key: bigint; readonly tie: number; readonly utxo: number }

/** What is asked. */
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
  readonly asset?: number
  readonly after?: HoldingCursor
  readonly limit: number
}

/** One entry: the cursor after it, and how many signatures the UTXO needs. */
export type Holding = HoldingCursor & { readonly needed: number }

type Direction = 'asc' | 'desc'

function question(column: 'created_at' | 'amount', direction: Direction, open: boolean): Statement {
  const sign = direction === 'asc' ? '>' : '<'
  const index = column === 'amount' ? 'holding_open_by_amount' : 'holding_open'
  const text = (hint: string): string =>
    `select ${column}, tie, utxo, needed from holding${hint}
     where address_id = ? and place = ? ${open ? 'and spent_at is null' : ''}
       and (${column}, tie, utxo) ${sign} (?, ?, ?) and amount >= ? and (? < 0 or asset = ?)
     order by ${column} ${direction}, tie ${direction}, utxo ${direction} limit ?`
  return statement(text(open ? ` indexed by ${index}` : ''), { bigints: true, postgres: text('') })
}

const questions = {
  timestamp: {
    asc: { open: question('created_at', 'asc', true), all: question('created_at', 'asc', false) },
    desc: {
      open: question('created_at', 'desc', true),
      all: question('created_at', 'desc', false),
    },
  },
  amount: {
    asc: { open: question('amount', 'asc', true), all: question('amount', 'asc', false) },
    desc: { open: question('amount', 'desc', true), all: question('amount', 'desc', false) },
  },
} as const

const lowest: HoldingCursor = { key: -1n, tie: -1, utxo: -1 }
const highest: HoldingCursor = { key: maxAmount, tie: 2 ** 53 - 1, utxo: 2 ** 53 - 1 }

/** Entries of the page; rows are read by `utxosByNumber`. */
export async function utxosOfAddresses(reader: Reader, query: HoldingQuery): Promise<Holding[]> {
  const { sortBy, sortOrder, chain, minAmount, asset = -1 } = query
  const asked = questions[sortBy][sortOrder][query.includeSpent ? 'all' : 'open']
  const sign = sortOrder === 'asc' ? 1 : -1
  const start = query.after ?? (sortOrder === 'asc' ? lowest : highest)
  return mergeLists<number, Holding>({
    lists: query.addresses,
    limit: query.limit,
    compare: (a, b) => sign * compareHoldings(a, b),
    accepts: ({ needed }, times) => times >= needed,
    read: async (address, after, limit) => {
      const { key, tie, utxo } = after ?? start
      const place = chainNumbers[chain]
      const values = [address, place, key, tie, utxo, minAmount, asset, asset, limit]
      const rows = await reader.all(asked, values)
      return rows.map((row) => ({
        key: BigInt(Number.isInteger(row[0]) ? Number(row[0]) : bigintOf(row[0])),
        tie: Number(row[1]),
        utxo: Number(row[2]),
        needed: Number(row[3]),
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
  return a.tie - b.tie || a.utxo - b.utxo
}

/** Cursor as bytes for a page token, and back. */
export const holdingCursor = {
  encode: ({ key, tie, utxo }: HoldingCursor): Uint8Array => {
    const view = new DataView(new ArrayBuffer(24))
    view.setBigInt64(0, key)
    view.setFloat64(8, tie)
    view.setFloat64(16, utxo)
    return new Uint8Array(view.buffer)
  },
  decode: (bytes: Uint8Array): HoldingCursor => {
    if (bytes.length !== 24) throw new Fault('bad-page-token', 'pageToken is not valid here')
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    return { key: view.getBigInt64(0), tie: view.getFloat64(8), utxo: view.getFloat64(16) }
  },
} as const
