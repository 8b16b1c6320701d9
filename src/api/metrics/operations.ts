/** The operations of document C, part A, and their neighbours. */

import type { AddressUnion } from '../../rollup/address-union.ts'
import type { ChainDirectory } from '../chain-directory.ts'
import type { Operation } from '../operation.ts'
import type { PageTokens } from '../page-token.ts'
import { averageTps } from './average-tps.ts'
import { chainMetrics } from './chain-metrics.ts'
import { getMetricsChain, listMetricsChains } from './metrics-chains.ts'
import { rollingWindow } from './rolling-window.ts'

/** What these operations need. */
export type MetricsParts = {
  readonly chains: ChainDirectory
  readonly tokens: PageTokens
  readonly union: AddressUnion
}

/** All of them. */
export function metricsOperations(parts: MetricsParts): Operation[] {
  return [
    chainMetrics(parts),
    averageTps(parts),
    rollingWindow(parts),
    listMetricsChains(parts),
    getMetricsChain(parts),
  ]
}
