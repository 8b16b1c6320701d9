/** Document A, operation 5: staking transactions whose stake is active. */

import { parseId, toCb58 } from '../../../core/cb58.ts'
import { PrimaryTransactions } from '../../../shape/operations/primary-transactions.ts'
import type { PrimaryNetworkTransaction } from '../../../shape/primary/transaction.ts'
import { knownNumbers } from '../../../store/query/primary/addresses.ts'
import { stakersByTx } from '../../../store/query/primary/stakers.ts'
import { transactionsOfAddresses } from '../../../store/query/primary/transactions.ts'
import { type Operation } from '../../operation/operation.ts'
import { checkChain, type ChainOf, ownersAndAccountsIn } from '../inputs.ts'
import { chainOperation } from '../network-operation.ts'
import type { PrimaryContext } from '../network/networks.ts'
import { autoRenewView } from '../views/auto-renew.ts'
import { transactionTypesNamed } from '../views/transaction.ts'
import { addressKeys, transactionList } from './list-transactions.ts'

/** Staking transactions of addresses whose stake is pending or active. */
export function listStakingTransactions(
  context: PrimaryContext,
): Operation<'listActivePrimaryNetworkStakingTransactions'> {
  const contract = PrimaryTransactions.listActivePrimaryNetworkStakingTransactions
  return chainOperation(context, contract, async (chain, { path, query }) => {
    checkChain(chain, 'P', path.blockchainId)
    const sets = ownersAndAccountsIn(query.addresses ?? '', chain.hrp, context.limits.maxAddresses)
    const addresses = await knownNumbers(chain.store, addressKeys(chain, sets))
    const types = query.txTypes?.flatMap((name) => transactionTypesNamed('P', name))
    const list = await transactionList(context, {
      chain,
      query,
      route: contract.id,
      places: async (range) =>
        transactionsOfAddresses(chain.store, { ...range, addresses, onlyOpenStakes: true, types }),
    })
    return { ...list, transactions: await withRenewal(chain, list.transactions) }
  })
}

/** Says what the auto-renewed validators among the stakes will do. */
async function withRenewal(
  { store, hrp }: ChainOf,
  transactions: PrimaryNetworkTransaction[],
): Promise<PrimaryNetworkTransaction[]> {
  const renewing = transactions.filter(({ period }) => period !== undefined)
  const stakers = await stakersByTx(
    store,
    renewing.map(({ txHash }) => parseId(txHash)),
  )
  const byHash = new Map(stakers.map((row) => [toCb58(row.txId), row]))
  return transactions.map((transaction) => {
    const row = byHash.get(transaction.txHash)
    return row === undefined ? transaction : { ...transaction, ...autoRenewView(hrp, row) }
  })
}
