/** Chains served here. */

import { networkOf } from '../../core/network.ts'
import { ChainInfo, chainFeatures } from '../../shape/evm/chain-info.ts'
import { NoPath, network } from '../../shape/evm/parameters.ts'
import { Type } from '../../shape/type.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { chainView } from './chain-view.ts'
import type { EvmParts } from './parts.ts'

const ListChains = {
  id: 'supportedChains',
  method: 'GET',
  path: '/v1/chains',
  summary: 'Chains served here',
  tag: 'EVM chains',
  weight: 1,
  parameters: {
    path: NoPath,
    query: Type.Object({
      network,
      feature: Type.Optional(
        Type.Enum([...chainFeatures], {
          description: 'Only chains with this ability; every chain served here has all',
        }),
      ),
    }),
  },
  response: Type.Object({ chains: Type.Array(ChainInfo) }),
} as const

/** The chains operation document B refers to, in configured order. */
export function listChains({ chains }: EvmParts): Operation {
  return operation(ListChains, async ({ query, caller }) => {
    const network = query.network === undefined ? undefined : networkOf(query.network)
    const listed = chains
      .all()
      .filter(({ facts }) => network === undefined || facts.network === network)
    return { body: { chains: listed.map((chain) => chainView(chain, caller.origin)) } }
  })
}
