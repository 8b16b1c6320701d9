import { Fault } from '../../core/fault.ts'
import { isDayMetric, metricNames, timeIntervals } from '../../shape/metrics/metric-names.ts'
import { MetricPoint, pointRange } from '../../shape/metrics/metric-point.ts'
import { Type } from '../../shape/type.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { bindingOf, numberCursor } from '../operation/paging.ts'
import type { MetricsContext } from './metrics-context.ts'
import { chainsOf, counted, knownUntil } from './scope.ts'
import { seriesPage } from './series.ts'

const chainName =
  'EVM chain id, blockchain id, total for all chains served, or mainnet or testnet for one network'

const chainMetricsShape = {
  id: 'getChainMetrics',
  method: 'GET',
  path: '/v2/chains/{chainId}/metrics/{metric}',
  summary: 'Series of a metric of a chain, newest point first',
  tag: 'Metrics',
  weight: 100,
  parameters: {
    path: Type.Object({
      chainId: Type.String({ description: chainName }),
      metric: Type.Enum([...metricNames], { description: 'metric' }),
    }),
    query: Type.Object({
      ...pointRange,
      timeInterval: Type.Optional(
        Type.Enum([...timeIntervals], { default: 'day', description: 'length of a period' }),
      ),
      pageToken: Type.Optional(Type.String({ description: 'nextPageToken of the page before' })),
      pageSize: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 2_160, default: 100, description: 'points a page' }),
      ),
    }),
  },
  response: Type.Object(
    {
      nextPageToken: Type.Optional(Type.String({ description: 'present when more points exist' })),
      results: Type.Array(MetricPoint),
    },
    { $id: 'ChainMetrics', additionalProperties: false },
  ),
} as const

/** Document C, part A, operation 2. */
export function chainMetrics({ chains, tokens, union }: MetricsContext): Operation {
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
        end: await knownUntil(served),
        limit: limit + 1,
        after: query.startTimestamp,
        until: query.endTimestamp,
        before: cursor && numberCursor.decode(cursor),
      },
      union,
    )
    const results = points.slice(0, limit)
    const last = results[results.length - 1]
    const more = points.length > limit && last !== undefined
    return {
      body: {
        nextPageToken: more
          ? tokens.seal(numberCursor.encode(last.timestamp), binding, 'uuids')
          : undefined,
        results,
      },
      headers,
    }
  })
}
