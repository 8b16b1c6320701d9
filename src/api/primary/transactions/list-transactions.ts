/** Document A, operation 4: transactions of the primary network, the latest or one. */

import { clip } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { loopTurn } from '../../../core/loop-turn.ts'
import { PrimaryTransactions } from '../../../shape/operations/primary-transactions.ts'
import type { PrimaryNetworkTransaction } from '../../../shape/primary/transaction.ts'
import type { Static } from '../../../shape/type.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { knownNumbers } from '../../../store/query/primary/addresses.ts'
import { numberOfValidation } from '../../../store/query/primary/l1-validators.ts'
import { placesBetween } from '../../../store/query/primary/network.ts'
import {
  transactionsAt,
  latestTransactions,
  transactionsOfAddresses,
  transactionsOfValidation,
  transactionById,
  timesOfPlaces,
  type PlaceQuery,
  type StoredTransaction,
} from '../../../store/query/primary/transactions.ts'
import { firstBlockPosOf } from '../../../store/schema/primary/position.ts'
import { type Input, type Operation } from '../../operation/operation.ts'
import { requestedPage, numberCursor } from '../../operation/paging.ts'
import {
  type ChainOf,
  idIn,
  itemsOf,
  ownersAndAccountsIn,
  unknownOn,
  chainInfo,
  type AddressSets,
} from '../inputs.ts'
import { chainOperation } from '../network-operation.ts'
import type { PrimaryContext } from '../network/networks.ts'
import { pageFactsOf } from '../views/transaction-facts.ts'
import { transactionTypesNamed, transactionView } from '../views/transaction.ts'

/** Latest transactions of a chain, of addresses, or of an L1 validation. */
export function listTransactions(
  context: PrimaryContext,
): Operation<'listLatestPrimaryNetworkTransactions'> {
  const contract = PrimaryTransactions.listLatestPrimaryNetworkTransactions
  return chainOperation(context, contract, async (chain, { query }) => {
    const addresses = itemsOf(query.addresses ?? '')
    checkFilters(addresses.length > 0 || query.l1ValidationId !== undefined, query)
    const types = query.txTypes?.flatMap((name) => transactionTypesNamed(chain.chain, name))
    const places = await placesOf(context, chain, { ...query, types })
    return transactionList(context, { chain, query, route: contract.id, places })
  })
}

type Query = Input<typeof PrimaryTransactions.listLatestPrimaryNetworkTransactions>['query']

/** Document A: these filters need an address; with an L1 validation id they are allowed too. */
function checkFilters(hasSubject: boolean, filters: Query): void {
  if (hasSubject) return
  const given = (['txTypes', 'startTimestamp', 'endTimestamp'] as const).filter(
    (name) => filters[name] !== undefined,
  )
  if (given.length > 0)
    throw new Fault('bad-parameter', `${given.join(', ')} can only be used together with addresses`)
}

async function placesOf(
  context: PrimaryContext,
  chain: ChainOf,
  { addresses = '', l1ValidationId, types }: Query & { readonly types: number[] | undefined },
): Promise<PlacePage> {
  const { store } = chain
  const validation =
    l1ValidationId === undefined ? undefined : idIn('l1ValidationId', l1ValidationId)
  let ofAddresses: PlacePage | undefined
  if (itemsOf(addresses).length > 0) {
    const sets = ownersAndAccountsIn(addresses, chain.hrp, context.limits.maxAddresses)
    const numbers = await knownNumbers(store, addressKeys(chain, sets))
    const typed = types === undefined ? {} : { types }
    ofAddresses = async (range) =>
      transactionsOfAddresses(store, { ...range, ...typed, addresses: numbers })
  }
  if (validation === undefined)
    return ofAddresses ?? (async (range) => latestTransactions(store, range))
  const number = chain.chain === 'P' ? await numberOfValidation(store, validation) : undefined
  if (number === undefined) return async () => []
  const ofValidation = placesOfValidation(store, number, types)
  return ofAddresses === undefined ? ofValidation : placesOfBoth(ofValidation, ofAddresses)
}

function placesOfValidation(
  store: Reader,
  number: number,
  types: readonly number[] | undefined,
): PlacePage {
  return async (range) => {
    const places = await transactionsOfValidation(store, number, range)
    if (types === undefined) return places.slice(0, range.limit)
    const rows = await transactionsAt(store, places)
    return rows
      .filter(({ type }) => types.includes(type))
      .map(({ pos }) => pos)
      .slice(0, range.limit)
  }
}

/** Places of the `few` that are among the `many` too; each is looked up there. */
function placesOfBoth(few: PlacePage, many: PlacePage): PlacePage {
  return async (range) => {
    const found: number[] = []
    for (const pos of await few({ ...range, limit: Number.MAX_SAFE_INTEGER })) {
      if (found.length === range.limit) break
      const [same] = await many({ ...range, from: pos, until: pos + 1, limit: 1 })
      if (same !== undefined) found.push(pos)
    }
    return found
  }
}

/** The transaction with an id. */
export function getPrimaryTransaction(context: PrimaryContext): Operation<'getTxByHash'> {
  return chainOperation(context, PrimaryTransactions.getTxByHash, async (chain, { path }) => {
    const txId = idIn('txHash', path.txHash)
    const row = await transactionById(chain.store, chain.chain, txId)
    const [body] = row === undefined ? [] : await transactionViews(chain, [row])
    if (body === undefined) throw await unknownOn(chain, `transaction ${clip(path.txHash)}`)
    return body
  })
}

/** Returns places of transactions within bounds. */
type PlacePage = (range: PlaceQuery) => Promise<readonly number[]>

/** Parameters of a list of transactions. */
type TransactionListQuery = {
  readonly chain: ChainOf
  readonly route: string
  readonly places: PlacePage
  readonly query: Query
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
  context: PrimaryContext,
  wanted: TransactionListQuery,
): Promise<Static<typeof PrimaryTransactions.listLatestPrimaryNetworkTransactions.response>> {
  const { chain, query, places } = wanted
  const { store } = chain
  const { after, limit, next } = requestedPage(context.tokens, {
    route: wanted.route,
    subject: { network: chain.network, chain: chain.chain },
    query,
    ...numberCursor,
  })
  const order = query.sortOrder ?? 'desc'
  const bounds = await placesBetween(store, chain.chain, query.startTimestamp, query.endTimestamp)
  const range = { ...bounds, order, limit: limit + 1 }
  const timed = placesInTime(chain, places, query)
  const found = await timed(after === undefined ? range : rangeAfter(range, after))
  const rows = await transactionsAt(store, found.places.slice(0, limit))
  const shown = withinUtxos(rows, context.limits.transactionPageUtxos)
  const last = shown.length < found.places.length ? shown.at(-1)?.pos : found.goOnAfter
  const transactions = await transactionViews(chain, shown)
  return { ...next(last), transactions, chainInfo: chainInfo(chain) }
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

/**
 * As many of `transactions`, from the first, as carry `maxUtxos` UTXOs together; at least one.
 */
function withinUtxos(
  transactions: readonly StoredTransaction[],
  maxUtxos: number,
): readonly StoredTransaction[] {
  let carried = 0
  let count = 0
  for (const { made, spent } of transactions) {
    carried += made.count + spent.length
    if (count > 0 && carried > maxUtxos) break
    count++
  }
  return transactions.slice(0, count)
}

/** Transactions as answers show them. */
export async function transactionViews(
  of: ChainOf,
  transactions: readonly StoredTransaction[],
): Promise<PrimaryNetworkTransaction[]> {
  const facts = await pageFactsOf(of, transactions)
  const views: PrimaryNetworkTransaction[] = []
  for (const transaction of transactions) {
    // One may carry hundreds of UTXOs, each with ids and addresses to write.
    await loopTurn.rest()
    views.push(transactionView(of, transaction, facts))
  }
  return views
}
