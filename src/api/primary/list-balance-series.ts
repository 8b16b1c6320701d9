/** Series of the balances of addresses on the P-, X- or C-Chain, stakes included. */

import { Balances } from '../../shape/primary/balances.ts'
import { PrimaryChainInfo } from '../../shape/primary/chain-info.ts'
import { Addresses, ChainPath } from '../../shape/primary/parameters.ts'
import { Type } from '../../shape/type.ts'
import { knownNumbers } from '../../store/query/primary/addresses.ts'
import { balancesOfAddresses } from '../../store/query/primary/balances-of-addresses.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { momentsOf, seriesQuery } from '../operation/series-moments.ts'
import { assetBook } from './asset-view.ts'
import { balancesView } from './balances-view.ts'
import { chainInfo, chainOf, indexedTo } from './chain-of.ts'
import { addressesIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'

const ListBalanceSeries = {
  id: 'listBalanceSeries',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/balances:listSeries',
  summary: 'Balances of addresses at regular moments, stakes among them, oldest first',
  tag: 'Primary Network Balances',
  weight: 200,
  parameters: {
    path: ChainPath,
    query: Type.Object({ addresses: Addresses, ...seriesQuery }),
  },
  response: Type.Object({
    series: Type.Array(
      Type.Object({ timestamp: Type.Integer({ description: 'Unix seconds' }), balances: Balances }),
    ),
    chainInfo: PrimaryChainInfo,
  }),
} as const

/**
 * Balances at each moment, as `getBalancesByAddresses` gives them with `blockTimestamp`. Cost of a
 * point: that of one such balance.
 */
export function listBalanceSeries(parts: PrimaryParts): Operation {
  return operation(ListBalanceSeries, async ({ path, query, signal }) => {
    const chain = chainOf(parts.networks, path)
    const addresses = addressesIn(query.addresses, chain, parts.limits.maxAddresses)
    const height = await indexedTo(chain.store, chain.chain)
    const numbers = await knownNumbers(chain.store, addresses)
    const series = []
    for (const moment of momentsOf(query, Math.floor(parts.clock.now() / 1_000))) {
      signal.throwIfAborted()
      const holdings = await balancesOfAddresses(chain.store, {
        addresses: numbers,
        chain: chain.chain,
        moment,
      })
      const assets = [...holdings.plain, ...holdings.others].map(({ asset }) => asset)
      const book = await assetBook(chain.store, chain, assets)
      series.push({ timestamp: moment, balances: balancesView(chain, holdings, { book, moment }) })
    }
    return { body: { series, chainInfo: chainInfo(chain) }, ...height }
  })
}
