/** Document A, operation 3: UTXOs of addresses, in a body or in the query. */

import { struct } from '../../codec/kit.ts'
import { f64, i64 } from '../../codec/primitives.ts'
import { toHex } from '../../core/bytes.ts'
import { PrimaryAddresses } from '../../shape/operations/primary-addresses.ts'
import type { Static } from '../../shape/type.ts'
import { knownNumbers, numberOfAsset } from '../../store/query/primary/addresses.ts'
import {
  utxosByNumber,
  type Holding,
  type HoldingCursor,
  utxosOfAddresses,
} from '../../store/query/primary/utxos.ts'
import { type Input, type Operation } from '../operation/operation.ts'
import { cursorOf, readPage, nextToken } from '../operation/paging.ts'
import { addressesIn, chainInfo, type ChainOf, amountFrom, idIn } from './inputs.ts'
import { chainOperation } from './network-operation.ts'
import type { PrimaryContext } from './network/networks.ts'
import { assetBook } from './views/asset.ts'
import { credentialsShown, utxoView } from './views/utxo.ts'

/** UTXOs of the addresses of the body. */
export function listUtxos(context: PrimaryContext): Operation<'getUtxosByAddressesV2'> {
  const contract = PrimaryAddresses.getUtxosByAddressesV2
  return chainOperation(context, contract, async (chain, { query: filters, body }) => {
    const addresses = addressesIn(body.addresses, chain, context.limits.maxBodyAddresses)
    return utxoPage(context, { chain, addresses, filters, route: contract.id })
  })
}

/** UTXOs of the addresses of the query. */
export function listUtxosByQuery(context: PrimaryContext): Operation<'getUtxosByAddresses'> {
  const contract = PrimaryAddresses.getUtxosByAddresses
  return chainOperation(context, contract, async (chain, { query }) => {
    const { addresses: text, ...filters } = query
    const addresses = addressesIn(text, chain, context.limits.maxAddresses)
    return utxoPage(context, { chain, addresses, filters, route: contract.id })
  })
}

/** Parameters of both UTXO lists. */
type UtxoPageQuery = {
  readonly chain: ChainOf
  /** 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
  readonly route: string
  readonly filters: Input<typeof PrimaryAddresses.getUtxosByAddressesV2>['query']
}

const holdingCursor = cursorOf<HoldingCursor>(struct({ key: i64, utxo: f64 }))

/** Reads the page. Throws `bad-parameter`, `bad-page-token`. */
async function utxoPage(
  context: PrimaryContext,
  wanted: UtxoPageQuery,
): Promise<Static<typeof PrimaryAddresses.getUtxosByAddressesV2.response>> {
  const { chain, filters, addresses } = wanted
  const { store } = chain
  const minAmount = amountFrom('minUtxoAmount', filters.minUtxoAmount)
  const asset = await assetFilter(chain, filters.assetId)
  const numbers = await knownNumbers(store, addresses)
  const page = await readPage<Holding, HoldingCursor>(context.tokens, {
    route: wanted.route,
    subject: {
      network: chain.network,
      chain: chain.chain,
      addresses: addresses.map(toHex).toSorted(),
    },
    query: filters,
    ...holdingCursor,
    rows: async (after, limit) =>
      asset === 'unknown'
        ? []
        : utxosOfAddresses(store, {
            addresses: numbers,
            chain: chain.chain,
            sortBy: filters.sortBy ?? 'timestamp',
            sortOrder: filters.sortOrder ?? 'desc',
            includeSpent: filters.includeSpent ?? false,
            minAmount,
            limit,
            asset,
            after,
          }),
    cursorOf: (row) => row,
  })
  const rows = await utxosByNumber(
    store,
    page.rows.map(({ utxo }) => utxo),
  )
  const book = await assetBook(
    store,
    chain,
    rows.map((row) => row.asset),
  )
  const facts = { book, credentials: await credentialsShown(chain, rows) }
  const utxos = rows.map((row) => utxoView(chain, row, facts))
  return { ...nextToken(page), utxos, chainInfo: chainInfo(chain) }
}

/** Number of the requested asset; the filter means nothing outside the X-Chain. */
async function assetFilter(
  chain: ChainOf,
  assetId: string | undefined,
): Promise<number | 'unknown' | undefined> {
  if (assetId === undefined) return undefined
  const id = idIn('assetId', assetId)
  if (chain.chain !== 'X') return undefined
  return (await numberOfAsset(chain.store, id)) ?? 'unknown'
}
