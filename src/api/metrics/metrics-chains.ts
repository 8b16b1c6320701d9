import { networkOf, networkNames } from '../../core/network.ts'
import { MetricsChain } from '../../shape/metrics/metrics-chain.ts'
import { Type } from '../../shape/type.ts'
import { blockchainIdText, type ServedChain } from '../operation/chain-directory.ts'
import { operation, type Operation } from '../operation/operation.ts'
import type { MetricsContext } from './metrics-context.ts'

const listMetricsChainsShape = {
  id: 'listMetricsChains',
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

const getMetricsChainShape = {
  id: 'getMetricsChain',
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

/** Chains that have metrics: all that are served. */
export function listMetricsChains({ chains }: MetricsContext): Operation {
  return operation(listMetricsChainsShape, async ({ query }) => {
    const wanted = query.network === undefined ? undefined : networkOf(query.network)
    const listed = chains
      .all()
      .filter(({ facts }) => wanted === undefined || facts.network === wanted)
    return { body: { chains: listed.map(metricsChainView) } }
  })
}

/** One chain that has metrics. */
export function getMetricsChain({ chains }: MetricsContext): Operation {
  return operation(getMetricsChainShape, async ({ path }) => ({
    body: metricsChainView(chains.find(path.chainId)),
  }))
}

function metricsChainView({ facts }: ServedChain): MetricsChain {
  return {
    evmChainId: facts.evmChainId,
    chainName: facts.name,
    blockchainId: blockchainIdText(facts) ?? '',
    subnetId: facts.subnetId ?? '',
    network: facts.network === 'mainnet' ? 'mainnet' : 'testnet',
  }
}
