import { networkOf } from '../../core/network.ts'
import type { MetricsChain } from '../../shape/metrics/metrics-chain.ts'
import { Metrics } from '../../shape/operations/metrics.ts'
import { blockchainIdText, type ServedChain } from '../operation/chain-directory.ts'
import { operation, type Operation } from '../operation/operation.ts'
import type { MetricsContext } from './metrics-context.ts'

/** Chains that have metrics: all that are served. */
export function listMetricsChains({ chains }: MetricsContext): Operation<'listMetricsChains'> {
  return operation(Metrics.listMetricsChains, async ({ query }) => {
    const wanted = query.network === undefined ? undefined : networkOf(query.network)
    const listed = chains
      .all()
      .filter(({ facts }) => wanted === undefined || facts.network === wanted)
    return { body: { chains: listed.map(metricsChainView) } }
  })
}

/** One chain that has metrics. */
export function getMetricsChain({ chains }: MetricsContext): Operation<'getMetricsChain'> {
  return operation(Metrics.getMetricsChain, async ({ path }) => ({
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
