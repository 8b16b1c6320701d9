import { networkOf } from '../../core/network.ts'
import {
  getMetricsChainShape,
  listMetricsChainsShape,
  type MetricsChain,
} from '../../shape/metrics/metrics-chains.ts'
import { blockchainIdText, type ServedChain } from '../chain-directory.ts'
import { operation, type Operation } from '../operation.ts'
import type { MetricsParts } from './parts.ts'

/** Chains that have metrics: all that are served. */
export function listMetricsChains({ chains }: MetricsParts): Operation {
  return operation(listMetricsChainsShape, async ({ query }) => {
    const wanted = query.network === undefined ? undefined : networkOf(query.network)
    const listed = chains
      .all()
      .filter(({ facts }) => wanted === undefined || facts.network === wanted)
    return { body: { chains: listed.map(metricsChainView) } }
  })
}

/** One chain that has metrics. */
export function getMetricsChain({ chains }: MetricsParts): Operation {
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
