/** Assets of the X-Chain and their transactions. Source: official clients, XChainAssetDetails. */

import { Fault } from '../../../core/fault.ts'
import { PrimaryTransactions } from '../../../shape/operations/primary-transactions.ts'
import { assetsById, numberOfAsset } from '../../../store/query/primary/addresses.ts'
import { transactionsOfAsset } from '../../../store/query/primary/transactions.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { chainOf, type ChainOf, indexedTo, idIn } from '../inputs.ts'
import type { PrimaryContext } from '../network/networks.ts'
import { createdAssetView } from '../views/asset.ts'
import { transactionTypesNamed } from '../views/transaction.ts'
import { transactionList } from './list-transactions.ts'

/** One asset. Throws `not-found`, also for one whose creation is not indexed. */
export function getAssetDetails(context: PrimaryContext): Operation<'getAssetDetails'> {
  return operation(PrimaryTransactions.getAssetDetails, async ({ path }) => {
    const chain = xChainOf(context, path)
    const height = await indexedTo(chain.store, 'X')
    const [asset] = await assetsById(chain.store, [idIn('assetId', path.assetId)])
    if (asset?.name === undefined) throw unknownAsset(path.assetId)
    return { body: createdAssetView(asset), ...height }
  })
}

/** Transactions of an asset, newest first. Throws `not-found` for one never seen. */
export function listAssetTransactions(context: PrimaryContext): Operation<'listAssetTransactions'> {
  return operation(PrimaryTransactions.listAssetTransactions, async ({ path, query }) => {
    const chain = xChainOf(context, path)
    const { store } = chain
    const asset = await numberOfAsset(store, idIn('assetId', path.assetId))
    if (asset === undefined) throw unknownAsset(path.assetId)
    const types = query.txTypes?.flatMap((name) => transactionTypesNamed('X', name))
    return transactionList(context, {
      chain,
      query,
      route: `${PrimaryTransactions.listAssetTransactions.id} ${asset}`,
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
