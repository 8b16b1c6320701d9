/** Document A, operation 4: latest transactions. */

import { Fault } from '../../core/fault.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { PrimaryChainInfo } from '../../shape/primary/chain-info.ts'
import {
  Addresses,
  ChainPath,
  EndTimestamp,
  PageToken,
  pageSize,
  SortOrder,
  StartTimestamp,
} from '../../shape/primary/parameters.ts'
import { PrimaryNetworkTransaction, TxTypes } from '../../shape/primary/transaction.ts'
import { Type } from '../../shape/type.ts'
import type { Reader } from '../../store/engine/database.ts'
import { knownNumbers } from '../../store/query/primary/addresses.ts'
import { numberOfValidation } from '../../store/query/primary/l1-validators.ts'
import {
  transactionsAt,
  latestTransactions,
  transactionsOfAddresses,
  transactionsOfValidation,
} from '../../store/query/primary/transactions.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { chainOf, type ChainOf } from './chain-of.ts'
import { idIn, itemsOf, ownersAndAccountsIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'
import { addressKeys, type PlacePage, transactionList } from './transaction-list.ts'
import { transactionTypesNamed } from './transaction-view.ts'

const ListTransactions = {
  id: 'listLatestPrimaryNetworkTransactions',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/transactions',
  summary: 'Latest transactions of a chain, of addresses, or of an L1 validation',
  tag: 'Primary Network Transactions',
  weight: 100,
  parameters: {
    path: ChainPath,
    query: Type.Object({
      addresses: Type.Optional(Addresses),
      l1ValidationId: Type.Optional(
        Type.String({ description: 'L1 validation id, cb58 or hex; P-Chain only', maxLength: 128 }),
      ),
      txTypes: TxTypes,
      startTimestamp: StartTimestamp,
      endTimestamp: EndTimestamp,
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
      sortOrder: SortOrder,
    }),
  },
  response: pageShape({
    transactions: Type.Array(PrimaryNetworkTransaction),
    chainInfo: PrimaryChainInfo,
  }),
} as const

/** Latest transactions of a chain, of addresses, or of an L1 validation. */
export function listTransactions(parts: PrimaryParts): Operation {
  return operation(ListTransactions, async ({ path, query }) => {
    const chain = chainOf(parts.networks, path)
    const addresses = itemsOf(query.addresses ?? '')
    checkFilters(addresses.length > 0 || query.l1ValidationId !== undefined, query)
    const types = query.txTypes?.flatMap((name) => transactionTypesNamed(chain.chain, name))
    const places = await placesOf(parts, chain, { ...query, types })
    return transactionList(parts, { chain, query, route: ListTransactions.id, places })
  })
}

type Filters = {
  readonly txTypes?: readonly string[] | undefined
  readonly startTimestamp?: number | undefined
  readonly endTimestamp?: number | undefined
}

/** Document A: these filters need an address; with an L1 validation id they are allowed too. */
function checkFilters(hasSubject: boolean, filters: Filters): void {
  if (hasSubject) return
  const given = (['txTypes', 'startTimestamp', 'endTimestamp'] as const).filter(
    (name) => filters[name] !== undefined,
  )
  if (given.length > 0)
    throw new Fault('bad-parameter', `${given.join(', ')} can only be used together with addresses`)
}

type Subject = {
  readonly addresses?: string | undefined
  readonly l1ValidationId?: string | undefined
  readonly types: readonly number[] | undefined
}

async function placesOf(
  parts: PrimaryParts,
  chain: ChainOf,
  { addresses = '', l1ValidationId, types }: Subject,
): Promise<PlacePage> {
  const { store } = chain
  const validation =
    l1ValidationId === undefined ? undefined : idIn('l1ValidationId', l1ValidationId)
  let ofAddresses: PlacePage | undefined
  if (itemsOf(addresses).length > 0) {
    const sets = ownersAndAccountsIn(addresses, chain.hrp, parts.limits.maxAddresses)
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
