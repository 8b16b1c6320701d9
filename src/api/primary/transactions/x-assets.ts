/** Assets of the X-Chain and their transactions. Source: official clients, XChainAssetDetails. */

import { Fault } from '../../../core/fault.ts'
import { PrimaryTransactions } from '../../../shape/operations/primary-transactions.ts'
import { assetsById, numberOfAsset } from '../../../store/query/primary/addresses.ts'
import { transactionsOfAsset } from '../../../store/query/primary/transactions.ts'
import { type Operation } from '../../operation/operation.ts'
import { checkChain, idIn } from '../inputs.ts'
import { chainOperation } from '../network-operation.ts'
import type { PrimaryContext } from '../network/networks.ts'
import { createdAssetView } from '../views/asset.ts'
import { transactionTypesNamed } from '../views/transaction.ts'
import { transactionList } from './list-transactions.ts'

/** One asset. Throws `not-found`, also for one whose creation is not indexed. */
export function getAssetDetails(context: PrimaryContext): Operation<'getAssetDetails'> {
  return chainOperation(context, PrimaryTransactions.getAssetDetails, async (chain, { path }) => {
    checkChain(chain, 'X', path.blockchainId)
    const [asset] = await assetsById(chain.store, [idIn('assetId', path.assetId)])
    if (asset?.name === undefined) throw unknownAsset(path.assetId)
    return createdAssetView(asset)
  })
}

/** Transactions of an asset, newest first. Throws `not-found` for one never seen. */
export function listAssetTransactions(context: PrimaryContext): Operation<'listAssetTransactions'> {
  const contract = PrimaryTransactions.listAssetTransactions
  return chainOperation(context, contract, async (chain, { path, query }) => {
    checkChain(chain, 'X', path.blockchainId)
    const { store } = chain
    const asset = await numberOfAsset(store, idIn('assetId', path.assetId))
    if (asset === undefined) throw unknownAsset(path.assetId)
    const types = query.txTypes?.flatMap((name) => transactionTypesNamed('X', name))
    return transactionList(context, {
      chain,
      query,
      route: `${contract.id} ${asset}`,
      places: async (range) => transactionsOfAsset(store, { ...range, asset, types }),
    })
  })
}

function unknownAsset(assetId: string): Fault {
  return new Fault('not-found', `asset is not known here: ${assetId.slice(0, 80)}`)
}
