/** Chains served here. */

import { networkOf } from '../../core/network.ts'
import { ListChains } from '../../shape/evm/list-chains.ts'
import { operation, type Operation } from '../operation.ts'
import { chainView, offeredFeatures } from './chain-view.ts'
import type { EvmParts } from './parts.ts'

/** The chains operation document B refers to, in configured order. */
export function listChains({ chains }: EvmParts): Operation {
  return operation(ListChains, async ({ query }) => {
    const network = query.network === undefined ? undefined : networkOf(query.network)
    const isOffered = query.feature === undefined || offeredFeatures.includes(query.feature)
    const listed = chains
      .all()
      .filter(({ facts }) => isOffered && (network === undefined || facts.network === network))
    return { body: { chains: listed.map(chainView) } }
  })
}
