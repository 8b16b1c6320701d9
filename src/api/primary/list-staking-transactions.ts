/** Document A, operation 5. */

import { Fault } from '../../core/fault.ts'
import { ListStakingTransactions } from '../../shape/primary/list-staking-transactions.ts'
import { knownNumbers } from '../../store/query/primary/numbers-of-keys.ts'
import { transactionsOfAddresses } from '../../store/query/primary/transactions-of-addresses.ts'
import { operation, type Operation } from '../operation.ts'
import { chainOf } from './chain-of.ts'
import { ownersAndAccountsIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'
import { addressKeys, transactionList } from './transaction-list.ts'
import { transactionTypesNamed } from './transaction-view.ts'

/** Staking transactions of addresses whose stake is pending or active. */
export function listStakingTransactions(parts: PrimaryParts): Operation {
  return operation(ListStakingTransactions, async ({ path, query }) => {
    const chain = chainOf(parts.networks, path)
    if (chain.chain !== 'P')
      throw new Fault(
        'bad-parameter',
        `blockchainId must be p-chain or its id here: ${path.blockchainId}`,
      )
    const sets = ownersAndAccountsIn(query.addresses ?? '', chain.hrp, parts.limits.maxAddresses)
    const addresses = await knownNumbers(chain.store, addressKeys(chain, sets))
    const types = query.txTypes?.flatMap((name) => transactionTypesNamed('P', name))
    return transactionList(parts, {
      chain,
      query,
      route: ListStakingTransactions.id,
      places: async (range) =>
        transactionsOfAddresses(chain.store, {
          ...range,
          addresses,
          onlyOpenStakes: true,
          ...(types === undefined ? {} : { types }),
        }),
    })
  })
}
