/** A page of transactions, wherever their places come from. */

import type { PrimaryChainInfo } from '../../shape/primary/chain-info.ts'
import type { PrimaryNetworkTransaction } from '../../shape/primary/transaction.ts'
import { placesBetween } from '../../store/query/primary/network.ts'
import {
  timesOfPlaces,
  transactionsAt,
  type PlaceQuery,
} from '../../store/query/primary/transactions.ts'
import { firstBlockPosOf } from '../../store/schema/primary/position.ts'
import { bindingOf, numberCursor, nextToken } from '../operation/paging.ts'
import { chainInfo, type ChainOf, indexedTo } from './chain-of.ts'
import type { AddressSets } from './inputs.ts'
import { defaultPageSize } from './list-page.ts'
import type { PrimaryParts } from './parts.ts'
import { transactionViews, withinUtxos } from './transaction-page.ts'

/** Returns places of transactions within bounds. */
export type PlacePage = (range: PlaceQuery) => Promise<readonly number[]>

/** Parameters of a list of transactions. */
export type TransactionListQuery = {
  readonly chain: ChainOf
  readonly route: string
  readonly places: PlacePage
  readonly query: {
    readonly pageToken?: string | undefined
    readonly pageSize?: number | undefined
    readonly sortOrder?: 'asc' | 'desc' | undefined
    readonly startTimestamp?: number | undefined
    readonly endTimestamp?: number | undefined
  }
}

/** Body and height of the answer. */
export type TransactionList = {
  readonly body: {
    readonly nextPageToken?: string
    readonly transactions: PrimaryNetworkTransaction[]
    readonly chainInfo: PrimaryChainInfo
  }
  readonly indexedHeight?: number
}

/** Keys of addresses in the store: EVM accounts are a space of their own, on the C-Chain only. */
export function addressKeys(chain: ChainOf, sets: AddressSets): Uint8Array[] {
  const accounts = sets.accounts.map((account) => {
    const key = new Uint8Array(21)
    key.set(account, 1)
    return key
  })
  return chain.chain === 'C' ? [...sets.owners, ...accounts] : [...sets.owners, ...sets.accounts]
}

/**
 * Reads the page. It ends early when its transactions carry more UTXOs than the setting
 * `api.transactionPageUtxos` allows, and then has a token like any other.
 */
export async function transactionList(
  parts: PrimaryParts,
  asked: TransactionListQuery,
): Promise<TransactionList> {
  const { chain, query, places } = asked
  const { store } = chain
  const height = await indexedTo(store, chain.chain)
  const binding = bindingOf(asked.route, { ...query, network: chain.network, chain: chain.chain })
  const order = query.sortOrder ?? 'desc'
  const limit = query.pageSize ?? defaultPageSize
  const bytes = parts.tokens.open(query.pageToken, binding)
  const after = bytes === undefined ? undefined : numberCursor.decode(bytes)
  const bounds = await placesBetween(store, chain.chain, query.startTimestamp, query.endTimestamp)
  const range = { ...bounds, order, limit: limit + 1 }
  const timed = placesInTime(chain, places, query)
  const found = await timed(after === undefined ? range : rangeAfter(range, after))
  const rows = await transactionsAt(store, found.places.slice(0, limit))
  const shown = withinUtxos(rows, parts.limits.transactionPageUtxos)
  const last = shown.length < found.places.length ? shown.at(-1)?.pos : found.goOnAfter
  const page =
    last === undefined
      ? {}
      : { nextPageToken: parts.tokens.seal(numberCursor.encode(last), binding) }
  const transactions = await transactionViews(chain, shown)
  return { body: { ...nextToken(page), transactions, chainInfo: chainInfo(chain) }, ...height }
}

/** Returns the rest of a range after `pos`. */
function rangeAfter(range: PlaceQuery, pos: number): PlaceQuery {
  return range.order === 'asc'
    ? { ...range, from: Math.max(range.from, pos + 1) }
    : { ...range, until: Math.min(range.until, pos) }
}

/** Places, and after which to go on where not all were looked at. */
type TimedPlaces = { readonly places: readonly number[]; readonly goOnAfter?: number }

/** Looked at for one page at most, some 4 us each. */
const mostPassedOver = 20_000

/**
 * As `places`, without those whose times do not fit. Only of what the X-Chain had before its blocks
 * are there any: see `placesBetween`.
 */
function placesInTime(
  { chain, store }: ChainOf,
  places: PlacePage,
  { startTimestamp, endTimestamp }: TransactionListQuery['query'],
): (range: PlaceQuery) => Promise<TimedPlaces> {
  const firstBlock = firstBlockPosOf(chain)
  const fitting = async (found: readonly number[]): Promise<readonly number[]> => {
    const early = found.filter((pos) => pos < firstBlock)
    const times = await timesOfPlaces(store, early)
    const start = startTimestamp ?? Number.NEGATIVE_INFINITY
    const end = endTimestamp ?? Number.POSITIVE_INFINITY
    return found.filter((pos) => {
      const time = times.get(pos)
      return time === undefined || (time > start && time < end)
    })
  }
  return async (whole) => {
    const kept: number[] = []
    let range = whole
    for (let seen = 0; seen < mostPassedOver;) {
      const found = await places(range)
      kept.push(...(await fitting(found)))
      const last = found.at(-1)
      if (kept.length >= whole.limit || found.length < whole.limit || last === undefined)
        return { places: kept.slice(0, whole.limit) }
      seen += found.length
      range = rangeAfter(range, last)
    }
    const goOnAfter = range.order === 'asc' ? range.from - 1 : range.until
    return { places: kept, goOnAfter }
  }
}
