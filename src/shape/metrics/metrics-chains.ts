import type { Static } from 'typebox'

import { networkNames } from '../../core/network.ts'
import { Type } from '../type.ts'

export const MetricsChain = Type.Object(
  {
    evmChainId: Type.Integer({ description: 'EVM chain id' }),
    chainName: Type.String({ description: 'name shown' }),
    blockchainId: Type.String({ description: 'blockchain id, cb58; empty when unknown' }),
    subnetId: Type.String({ description: 'subnet id, cb58; empty when unknown' }),
    network: Type.Enum(['mainnet', 'testnet'], { description: 'network of the chain' }),
  },
  { $id: 'MetricsChain', additionalProperties: false },
)
/** A chain as the metrics API lists it. */
export type MetricsChain = Static<typeof MetricsChain>

/** Neighbour of document C: chains with metrics. */
export const listMetricsChainsShape = {
  id: 'listMetricsChains',
  method: 'GET',
  path: '/v2/chains',
  summary: 'Chains that have metrics',
  tag: 'Metrics',
  weight: 1,
  parameters: {
    path: Type.Object({}),
    query: Type.Object({
      network: Type.Optional(Type.Enum([...networkNames], { description: 'only of this network' })),
      pageToken: Type.Optional(Type.String({ description: 'nextPageToken of the page before' })),
    }),
  },
  response: Type.Object(
    {
      nextPageToken: Type.Optional(Type.String({ description: 'present when more chains exist' })),
      chains: Type.Array(MetricsChain),
    },
    { $id: 'MetricsChains', additionalProperties: false },
  ),
} as const

/** Neighbour of document C: one chain. */
export const getMetricsChainShape = {
  id: 'getMetricsChain',
  method: 'GET',
  path: '/v2/chains/{chainId}',
  summary: 'One chain that has metrics',
  tag: 'Metrics',
  weight: 1,
  parameters: {
    path: Type.Object({ chainId: Type.String({ description: 'EVM chain id or blockchain id' }) }),
    query: Type.Object({}),
  },
  response: MetricsChain,
} as const
