/** The operations of document C, part A, and their neighbours. */

import type { Operation } from '../operation.ts'
import { averageTps } from './average-tps.ts'
import { chainMetrics } from './chain-metrics.ts'
import { getMetricsChain, listMetricsChains } from './metrics-chains.ts'
import type { MetricsParts } from './parts.ts'
import { rollingWindow } from './rolling-window.ts'

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
