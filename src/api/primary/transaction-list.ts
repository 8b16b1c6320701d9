/** A page of transactions, wherever their places come from. */

import type { PrimaryChainInfo } from '../../shape/primary/chain-info.ts'
import type { PrimaryNetworkTransaction } from '../../shape/primary/transaction.ts'
import { placesBetween } from '../../store/query/primary/moment-in-history.ts'
import { transactionsAt } from '../../store/query/primary/transaction-rows.ts'
import type { PlaceQuery } from '../../store/query/primary/transactions-of-addresses.ts'
import { bindingOf, numberCursor, nextToken } from '../paging.ts'
import { chainInfo, type ChainOf, indexedTo } from './chain-of.ts'
import type { AddressSets } from './inputs.ts'
import { defaultPageSize } from './list-page.ts'
import type { PrimaryParts } from './parts.ts'
import { transactionViews, withinUtxos } from './transaction-page.ts'

/** Gives places of transactions within bounds. */
export type PlacePage = (range: PlaceQuery) => Promise<readonly number[]>

/** What a list of transactions asks. */
export type TransactionListQuery = {
  readonly chain: ChainOf
  readonly route: string
  readonly places: PlacePage
  readonly query: {
    readonly pageToken?: string
    readonly pageSize?: number
    readonly sortOrder?: 'asc' | 'desc'
    readonly startTimestamp?: number
    readonly endTimestamp?: number
  }
}

/** Body and height of the answer. */
export type TransactionList = {
  readonly body: {
    readonly nextPageToken?: string
    readonly transactions: PrimaryNetworkTransaction[]
    readonly chainInfo: PrimaryChainInfo
  }
  readonly indexedHeight: number
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
  const found = await places({
    from: order === 'asc' && after !== undefined ? Math.max(bounds.from, after + 1) : bounds.from,
    until: order === 'desc' && after !== undefined ? Math.min(bounds.until, after) : bounds.until,
    order,
    limit: limit + 1,
  })
  const rows = await transactionsAt(store, found.slice(0, limit))
  const shown = withinUtxos(rows, parts.limits.transactionPageUtxos)
  const last = shown.at(-1)
  const more = found.length > shown.length && last !== undefined
  const page = more
    ? { nextPageToken: parts.tokens.seal(numberCursor.encode(last.pos), binding) }
    : {}
  const transactions = await transactionViews(chain, shown)
  return { body: { ...nextToken(page), transactions, chainInfo: chainInfo(chain) }, ...height }
}
