/** Assets of the X-Chain and their transactions. Source: official clients, XChainAssetDetails. */

import { Fault } from '../../../core/fault.ts'
import { pageShape } from '../../../shape/page-shape.ts'
import {
  PrimaryChainInfo,
  ChainPath,
  pageQuery,
  timeQuery,
} from '../../../shape/primary/parameters.ts'
import {
  CreatedAsset,
  PrimaryNetworkTransaction,
  TxTypes,
} from '../../../shape/primary/transaction.ts'
import { Type } from '../../../shape/type.ts'
import { assetsById, numberOfAsset } from '../../../store/query/primary/addresses.ts'
import { transactionsOfAsset } from '../../../store/query/primary/transactions.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { chainOf, type ChainOf, indexedTo, idIn } from '../inputs.ts'
import type { PrimaryContext } from '../network/networks.ts'
import { createdAssetView } from '../views/asset.ts'
import { transactionTypesNamed } from '../views/transaction.ts'
import { transactionList } from './list-transactions.ts'

const AssetPath = Type.Object({
  ...ChainPath.properties,
  assetId: Type.String({ description: 'asset id, cb58 or hex', maxLength: 128 }),
})

const GetAssetDetails = {
  id: 'getAssetDetails',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/assets/{assetId}',
  summary: 'An asset of the X-Chain',
  tag: 'Primary Network',
  weight: 100,
  parameters: { path: AssetPath, query: Type.Object({}) },
  response: CreatedAsset,
} as const

const ListAssetTransactions = {
  id: 'listAssetTransactions',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/assets/{assetId}/transactions',
  summary: 'X-Chain transactions that spend, make or create an asset, newest first',
  tag: 'Primary Network Transactions',
  weight: 100,
  parameters: {
    path: AssetPath,
    query: Type.Object({ txTypes: TxTypes, ...timeQuery, ...pageQuery }),
  },
  response: pageShape({
    transactions: Type.Array(PrimaryNetworkTransaction),
    chainInfo: PrimaryChainInfo,
  }),
} as const

/** One asset. Throws `not-found`, also for one whose creation is not indexed. */
export function getAssetDetails(context: PrimaryContext): Operation {
  return operation(GetAssetDetails, async ({ path }) => {
    const chain = xChainOf(context, path)
    const height = await indexedTo(chain.store, 'X')
    const [asset] = await assetsById(chain.store, [idIn('assetId', path.assetId)])
    if (asset?.name === undefined) throw unknownAsset(path.assetId)
    return { body: createdAssetView(asset), ...height }
  })
}

/** Transactions of an asset, newest first. Throws `not-found` for one never seen. */
export function listAssetTransactions(context: PrimaryContext): Operation {
  return operation(ListAssetTransactions, async ({ path, query }) => {
    const chain = xChainOf(context, path)
    const { store } = chain
    const asset = await numberOfAsset(store, idIn('assetId', path.assetId))
    if (asset === undefined) throw unknownAsset(path.assetId)
    const types = query.txTypes?.flatMap((name) => transactionTypesNamed('X', name))
    return transactionList(context, {
      chain,
      query,
      route: `${ListAssetTransactions.id} ${asset}`,
      places: async (range) => transactionsOfAsset(store, { ...range, asset, types }),
    })
  })
}

function xChainOf(context: PrimaryContext, path: Parameters<typeof chainOf>[1]): ChainOf {
  const chain = chainOf(context.networks, path)
  if (chain.chain === 'X') return chain
  throw new Fault(
    'bad-parameter',
    `blockchainId must be x-chain or its id here: ${path.blockchainId}`,
  )
}

function unknownAsset(assetId: string): Fault {
  return new Fault('not-found', `asset is not known here: ${assetId.slice(0, 80)}`)
}
