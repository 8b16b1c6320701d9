/** Addresses: their numbers, their spelling, whether and when they were active. */

import { caseMask, halfMask } from '../../../core/address.ts'
import { assert } from '../../../core/fault.ts'
import {
  type KeyKind,
  type Reader,
  statement,
  type Statement,
  type Value,
} from '../../engine/database.ts'
import { address, addressByBytes, token } from '../../schema/evm.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import type { HistoryStage } from '../../schema/table.ts'
import { integerAt, textAt } from '../row-values.ts'
import { integer, maybe, type RowOf, storedRow, text, bothOrders } from '../stored-row.ts'
import { type Direction, heightOf, overOf, type PosRange, posOfHeight } from './position.ts'

const question = statement('select id from address_by_bytes where bytes = ?')

/**
 * Number of an address, or `undefined` when the chain has never shown it.
 *
 * Cost: one look-up in `address_by_bytes`.
 */
export async function addressId(store: Reader, bytes: Uint8Array): Promise<number | undefined> {
  return (await store.get(question, [bytes]))?.[0]
}

/** Numbers of many addresses, in their order. Cost: one look-up each. */
export async function addressIds(
  store: Reader,
  addresses: readonly Uint8Array[],
): Promise<(number | undefined)[]> {
  const rows = await store.lookup({ table: addressByBytes, key: ['bytes'], select: ['id'] }, [
    addresses,
  ])
  return rows.map((row) => row?.[0])
}

/** Addresses by their stored numbers, in their order. Cost: one look-up each. */
export async function addressesOfIds(
  store: Reader,
  ids: readonly number[],
): Promise<readonly Uint8Array[]> {
  if (ids.length === 0) return []
  const rows = await store.lookup({ table: address, key: ['id'], select: ['bytes'] }, [ids])
  return rows.map((row) => {
    assert(row !== undefined, 'a number in a row is that of an address')
    return row[0]
  })
}

// The EIP-55 case of an address, stored beside it so that a page of addresses nobody read
// yet is shown without hashing each.
//
// Forty bits of mask and twelve that follow from them: a value that a disk damaged is distinguished
// from a good one and computed anew, which is why the sums of the table leave it out.

const maskRange = 2 ** 40

/** Stored cases of `addresses`, 20 bytes each, in their order. */
export function casesOf(addresses: readonly Uint8Array[]): Float64Array {
  return Float64Array.from(addresses, (address) => storedCase(caseMask(address)))
}

/** The stored form of a mask, below 2^52. */
export function storedCase(mask: number): number {
  // Twelve bits.
  const high = Math.imul(Math.floor(mask / halfMask) + 1, 0x9e37_79b1)
  return (Math.imul(high ^ (mask % halfMask), 0x85eb_ca6b) >>> 20) * maskRange + mask
}

/** The mask of a stored value; `undefined` where it is not one of ours. */
export function maskOfCase(stored: number): number | undefined {
  const mask = stored % maskRange
  return stored === storedCase(mask) ? mask : undefined
}

/** Stored facts about a token contract, under the names of their columns. */
const tokenRow = storedRow({
  id: integer('id'),
  /** 20, 721 or 1155, by the evidence of its logs. */
  standard: integer('standard'),
  name: maybe(text('name')),
  symbol: maybe(text('symbol')),
  decimals: maybe(integer('decimals')),
  /** Why the contract gave none, once it was called. */
  decimals_reason: maybe(text('decimals_reason')),
  /** Unix seconds at which the contract last gave them, 0 for never. */
  metadata_at: integer('metadata_at'),
  /** Block at which a balance was not what logs give, and how; absent where none is known to. */
  inexact_height: maybe(integer('inexact_height')),
  inexact_reason: maybe(text('inexact_reason')),
})
/** Row of {@link tokenRow}. */
export type TokenRow = RowOf<typeof tokenRow>

/** One address and, if it is one, its token. */
type RichAddressRow = {
  /** Forty lower-case digits. */
  readonly digits: string
  /** Mask of the EIP-55 text; `undefined` where the stored one is damaged. */
  readonly mask: number | undefined
  readonly token: TokenRow | undefined
}

const tokenOfId = { table: token, key: ['id'], select: tokenRow.names }

/** The token contracts among numbers of addresses, in the order given. Cost: a look-up each. */
export async function tokensOfIds(
  store: Reader,
  ids: readonly number[],
): Promise<(TokenRow | undefined)[]> {
  const rows = await store.lookup(tokenOfId, [ids])
  return rows.map((row) => (row === undefined ? undefined : tokenRow.read(row)))
}

const selected = tokenRow.names.map((name) => `k.${name}`).join(', ')

/** Numbers come as a list in JSON, so that a page of any length is one statement. */
const partiesQuestion = statement(
  `select a.id, lower(hex(a.bytes)), a.cased, ${selected}
   from json_each(?) j cross join address a on a.id = j.value left join token k on k.id = a.id`,
  {
    postgres: `select a.id, encode(a.bytes, 'hex'), a.cased, ${selected}
      from address a left join token k on k.id = a.id
      where a.id = any(array(select value::bigint from json_array_elements_text(?::json)))`,
  },
)

/**
 * Addresses by number with what is stored of the tokens among them, in the order given.
 *
 * Cost: one statement, two look-ups by key for each. A number that no address has is `undefined`.
 */
export async function richAddressesOfIds(
  store: Reader,
  ids: readonly number[],
): Promise<(RichAddressRow | undefined)[]> {
  const found = new Map<number, RichAddressRow>()
  for (const row of await store.all(partiesQuestion, [`[${ids.join(',')}]`])) {
    found.set(integerAt(row, 0), {
      digits: textAt(row, 1),
      mask: maskOfCase(integerAt(row, 2)),
      token: row[3] === null ? undefined : tokenRow.read(row.slice(3)),
    })
  }
  return ids.map((id) => found.get(id))
}

const ofAddress = { of: 'address', at: [0] } as const

const questions = [
  statement('select 1 from evm_transaction_by_address where address_id = ? limit 1', {
    over: 'newest',
    key: { of: 'transactions', at: [0] },
  }),
  statement('select 1 from transfer_by_address where address_id = ? limit 1', {
    over: 'newest',
    key: ofAddress,
  }),
  statement('select 1 from internal_by_address where address_id = ? limit 1', {
    over: 'newest',
    key: ofAddress,
    stage: 'traces',
  }),
]

/**
 * Returns whether an address sent, received or was created by anything. Cost: up to three look-ups.
 */
export async function hasActivity(store: Reader, addressId: number): Promise<boolean> {
  for (const question of questions) {
    if ((await store.get(question, [addressId])) !== undefined) return true
  }
  return false
}

type Source = Readonly<Record<Direction, Statement>> & { readonly leading: readonly Value[] }

type BothOptions = {
  readonly leading?: readonly Value[]
  readonly stage?: HistoryStage
  readonly of: KeyKind
}

function bothWays(text: string, { leading = [], stage, of }: BothOptions): Source {
  const within = { pos: [leading.length + 1, leading.length + 2] }
  const ordered = bothOrders((order) =>
    statement<string>(`${text} and a.pos >= ? and a.pos < ? order by a.pos ${order} limit ?`, {
      over: overOf[order],
      key: { of, at: [0, ...leading.map((_, at) => at + 1)] },
      within,
      stage,
    }),
  )
  return { ...ordered, leading }
}

const transferText =
  'select a.pos, t.tx_index from transfer_by_address a join transfer t on t.pos = a.pos ' +
  'where a.address_id = ? and a.standard = ?'

const sources: readonly Source[] = [
  bothWays('select a.pos, -1 from evm_transaction_by_address a where a.address_id = ?', {
    of: 'transactions',
  }),
  bothWays(transferText, { of: 'transfers', leading: [20] }),
  bothWays(transferText, { of: 'transfers', leading: [721] }),
  bothWays(transferText, { of: 'transfers', leading: [1155] }),
  bothWays(
    'select a.pos, i.tx_index from internal_by_address a join internal i on i.pos = a.pos ' +
      'where a.address_id = ?',
    { of: 'address', stage: 'traces' },
  ),
]

// Rows read at once while looking for the next transactions of one source.
const batchRows = 128

/**
 * Positions of the transactions an address took part in (as sender, receiver or created
 * contract, or through a transfer or internal transaction), strictly after `after` in
 * `direction`, inside `range`, each once, at most `limit`.
 *
 * Cost: one range scan of each of the five address indexes, `limit` transactions each. Many
 * entries in one transaction cost one row each.
 */
export async function activityOfAddress(
  store: Reader,
  query: {
    readonly addressId: number
    readonly range: PosRange
    readonly after: number | undefined
    readonly direction: Direction
    readonly limit: number
  },
): Promise<number[]> {
  const lists = await Promise.all(sources.map((source) => positionsIn(store, source, query)))
  const merged = [...new Set(lists.flat())]
  merged.sort((a, b) => (query.direction === 'desc' ? b - a : a - b))
  return merged.slice(0, query.limit)
}

type Query = Parameters<typeof activityOfAddress>[1]

async function positionsIn(store: Reader, source: Source, query: Query): Promise<number[]> {
  const { addressId, direction, limit } = query
  const descending = direction === 'desc'
  let { from, until } = openedRange(query)
  const found: number[] = []
  for (;;) {
    const parameters = [addressId, ...source.leading, from, until, batchRows]
    const rows = await store.all(source[direction], parameters)
    for (const row of rows) {
      // Position of the transaction of an entry; entries of `evm_transaction_by_address` are transactions.
      const pos = integerAt(row, 0)
      const txIndex = integerAt(row, 1)
      const txPos = txIndex === -1 ? pos : posOfHeight(heightOf(pos)) + txIndex
      if (isBeyond(txPos, query) && txPos !== found[found.length - 1]) found.push(txPos)
      if (found.length === limit) return found
    }
    const last = rows[rows.length - 1]
    if (last === undefined || rows.length < batchRows) return found
    if (descending) until = integerAt(last, 0)
    else from = integerAt(last, 0) + 1
  }
}

/** Positions that can hold what follows `after`: its own block still may. */
function openedRange({ range, after, direction }: Query): PosRange {
  if (after === undefined) return range
  const block = posOfHeight(heightOf(after))
  return direction === 'desc'
    ? { from: range.from, until: Math.min(range.until, block + placesPerBlock) }
    : { from: Math.max(range.from, block), until: range.until }
}

function isBeyond(txPos: number, { after, direction }: Query): boolean {
  if (after === undefined) return true
  return direction === 'desc' ? txPos < after : txPos > after
}
