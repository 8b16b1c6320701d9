/** Chains served here. */

import { Type } from '../type.ts'
import { ChainInfo, chainFeatures } from './chain-info.ts'
import { NoPath } from './path.ts'
import { network } from './query.ts'

/** The chains operation document B refers to. */
export const ListChains = {
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
        Type.Enum([...chainFeatures], { description: 'Only chains with this ability' }),
      ),
    }),
  },
  response: Type.Object({ chains: Type.Array(ChainInfo) }),
} as const
