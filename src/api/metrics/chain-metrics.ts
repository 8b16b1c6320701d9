import { Fault } from '../../core/fault.ts'
import { isDayMetric } from '../../shape/metrics/metric-names.ts'
import type { MetricPoint } from '../../shape/metrics/metric-point.ts'
import { Metrics } from '../../shape/operations/metrics.ts'
import { newestBlockMs } from '../../store/query/metrics/days.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { bindingOf, numberCursor } from '../operation/paging.ts'
import type { MetricsContext } from './metrics-context.ts'
import { chainsOf, counted, knownUntil } from './scope.ts'
import { type SeriesRequest, seriesPage } from './series.ts'

/** Document C, part A, operation 2. */
export function chainMetrics(context: MetricsContext): Operation<'getChainMetrics'> {
  return operation(Metrics.getChainMetrics, async ({ path, query }) => {
    const { metric } = path
    const unit = query.timeInterval ?? 'day'
    if (isDayMetric(metric) && unit !== 'day') {
      throw new Fault('bad-parameter', `timeInterval must be day for ${metric}: ${unit}`)
    }
    const served = chainsOf(context.chains, path.chainId)
    const binding = bindingOf(Metrics.getChainMetrics.id, { ...path, ...query })
    const { startTimestamp: after, endTimestamp: until } = query
    const of = { metric, unit, after, until, binding, query }
    const { results, nextPageToken, headers } = await pointsPage(context, served, of)
    return { body: { nextPageToken, results }, headers }
  })
}

/** Document C, part A, operation 1. */
export function averageTps(context: MetricsContext): Operation<'getAverageTps'> {
  return operation(Metrics.getAverageTps, async ({ path, query }) => {
    const served = chainsOf(context.chains, path.chainId)
    const binding = bindingOf(Metrics.getAverageTps.id, { ...path, ...query })
    const of = { metric: 'avgTps', unit: 'day', binding, query } as const
    const { results, nextPageToken } = await pointsPage(context, served, of)
    let newestMs = 0
    for (const { store } of served) newestMs = Math.max(newestMs, await newestBlockMs(store))
    return { body: { results, status: 200, lastRun: Math.floor(newestMs / 1_000), nextPageToken } }
  })
}

/** A page of points, newest first, and the token of the next. */
async function pointsPage(
  { tokens, union }: MetricsContext,
  served: readonly ServedChain[],
  { binding, query, ...of }: PageOfPoints,
): Promise<{
  readonly results: MetricPoint[]
  readonly nextPageToken: string | undefined
  readonly headers: Awaited<ReturnType<typeof counted>>['headers']
}> {
  const cursor = tokens.open(query.pageToken, binding)
  const before = cursor && numberCursor.decode(cursor)
  const limit = query.pageSize ?? 100
  const { chains, headers } = await counted(served, of.metric)
  const end = await knownUntil(served)
  const points = await seriesPage({ ...of, chains, end, before, limit: limit + 1 }, union)
  const results = points.slice(0, limit)
  const last = results.at(-1)
  const nextPageToken =
    points.length > limit && last !== undefined
      ? tokens.seal(numberCursor.encode(last.timestamp), binding, 'uuids')
      : undefined
  return { results, nextPageToken, headers }
}

type PageOfPoints = Pick<SeriesRequest, 'metric' | 'unit' | 'after' | 'until'> & {
  readonly binding: ReturnType<typeof bindingOf>
  readonly query: {
    readonly pageToken?: string | undefined
    readonly pageSize?: number | undefined
  }
}
