/** Document A, operation 6: balances of addresses. */

import { keyOf } from '../../core/bytes.ts'
import { Balances } from '../../shape/primary/balances.ts'
import { PrimaryChainInfo } from '../../shape/primary/chain-info.ts'
import { Addresses, BlockTimestamp, ChainPath } from '../../shape/primary/parameters.ts'
import { Type } from '../../shape/type.ts'
import type { Reader } from '../../store/engine/database.ts'
import { knownNumbers } from '../../store/query/primary/addresses.ts'
import { balancesOfAddresses } from '../../store/query/primary/balances-of-addresses.ts'
import { renewedPositions } from '../../store/query/primary/rewards.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { assetBook } from './asset-view.ts'
import { restakedOf } from './auto-renew-view.ts'
import { balancesView } from './balances-view.ts'
import { chainInfo, chainOf, indexedTo } from './chain-of.ts'
import { addressesIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'

const GetBalances = {
  id: 'getBalancesByAddresses',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/balances',
  summary: 'Balances of addresses, now or at a moment',
  tag: 'Primary Network Balances',
  weight: 100,
  parameters: {
    path: ChainPath,
    query: Type.Object({ blockTimestamp: BlockTimestamp, addresses: Type.Optional(Addresses) }),
  },
  response: Type.Object({ balances: Balances, chainInfo: PrimaryChainInfo }),
} as const

/** Balances of addresses, now or at a moment. */
export function getBalances(parts: PrimaryParts): Operation {
  return operation(GetBalances, async ({ path, query }) => {
    const chain = chainOf(parts.networks, path)
    const { store } = chain
    const { blockTimestamp: moment } = query
    const addresses = addressesIn(query.addresses ?? '', chain, parts.limits.maxAddresses)
    const height = await indexedTo(chain.store, chain.chain)
    const numbers = await knownNumbers(chain.store, addresses)
    const holdings = await balancesOfAddresses(chain.store, {
      addresses: numbers,
      chain: chain.chain,
      moment,
    })
    const assets = [...holdings.plain, ...holdings.others].map(({ asset }) => asset)
    const book = await assetBook(chain.store, chain, assets)
    const restaked =
      chain.chain === 'P' && (moment ?? 0) === 0
        ? await restakedRewards(store, numbers, addresses)
        : {}
    const now = moment ?? Math.floor(parts.clock.now() / 1_000)
    const balances = { ...balancesView(chain, holdings, { book, moment: now }), ...restaked }
    return { body: { balances, chainInfo: chainInfo(chain) }, ...height }
  })
}

/**
 * Amounts that running auto-renewed validators restaked for `addresses`, whose numbers are
 * `owners`.
 */
async function restakedRewards(
  store: Reader,
  owners: readonly number[],
  addresses: readonly Uint8Array[],
): Promise<{ readonly restakedRewards: string }> {
  const asked = new Set(addresses.map(keyOf))
  const positions = await renewedPositions(store, owners)
  return { restakedRewards: String(restakedOf(positions, (one) => asked.has(keyOf(one)))) }
}
