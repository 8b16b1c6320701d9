import { Fault } from '../../core/fault.ts'
import { chainMetricsShape } from '../../shape/metrics/chain-metrics.ts'
import { isDayMetric } from '../../shape/metrics/metric-names.ts'
import { operation, type Operation } from '../operation.ts'
import { bindingOf, numberCursor } from '../paging.ts'
import type { MetricsParts } from './parts.ts'
import { chainsOf, counted } from './scope.ts'
import { seriesPage } from './series.ts'

/** Document C, part A, operation 2. */
export function chainMetrics({ chains, tokens, union }: MetricsParts): Operation {
  return operation(chainMetricsShape, async ({ path, query }) => {
    const { metric } = path
    const unit = query.timeInterval ?? 'day'
    if (isDayMetric(metric) && unit !== 'day') {
      throw new Fault('bad-parameter', `timeInterval must be day for ${metric}: ${unit}`)
    }
    const served = chainsOf(chains, path.chainId)
    const binding = bindingOf(chainMetricsShape.id, { ...path, ...query })
    const cursor = tokens.open(query.pageToken, binding)
    const limit = query.pageSize ?? 100
    const { chains: over, headers } = await counted(served, metric)
    const points = await seriesPage(
      {
        chains: over,
        metric,
        unit,
        limit: limit + 1,
        ...(query.startTimestamp === undefined ? {} : { after: query.startTimestamp }),
        ...(query.endTimestamp === undefined ? {} : { until: query.endTimestamp }),
        ...(cursor === undefined ? {} : { before: numberCursor.decode(cursor) }),
      },
      union,
    )
    const results = points.slice(0, limit)
    const last = results[results.length - 1]
    const more = points.length > limit && last !== undefined
    return {
      body: {
        ...(more
          ? { nextPageToken: tokens.seal(numberCursor.encode(last.timestamp), binding, 'uuids') }
          : {}),
        results,
      },
      headers,
    }
  })
}
