/** Document A, operation 6. */

import { GetBalances } from '../../shape/primary/get-balances.ts'
import { balancesOfAddresses } from '../../store/query/primary/balances-of-addresses.ts'
import { knownNumbers } from '../../store/query/primary/numbers-of-keys.ts'
import { operation, type Operation } from '../operation.ts'
import { assetBook } from './asset-view.ts'
import { balancesView } from './balances-view.ts'
import { chainInfo, chainOf, indexedTo } from './chain-of.ts'
import { addressesIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'

/** Balances of addresses, now or at a moment. */
export function getBalances(parts: PrimaryParts): Operation {
  return operation(GetBalances, async ({ path, query }) => {
    const chain = chainOf(parts.networks, path)
    const { blockTimestamp: moment } = query
    const addresses = addressesIn(query.addresses ?? '', chain.hrp, parts.limits.maxAddresses)
    const height = await indexedTo(chain.store, chain.chain)
    const numbers = await knownNumbers(chain.store, addresses)
    const holdings = await balancesOfAddresses(chain.store, {
      addresses: numbers,
      chain: chain.chain,
      ...(moment === undefined ? {} : { moment }),
    })
    const assets = [...holdings.plain, ...holdings.others].map(({ asset }) => asset)
    const book = await assetBook(chain.store, chain, assets)
    const now = moment ?? Math.floor(parts.clock.now() / 1_000)
    const balances = balancesView(chain, holdings, { book, moment: now })
    return { body: { balances, chainInfo: chainInfo(chain) }, ...height }
  })
}
