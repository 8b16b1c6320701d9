import { MetricPoint } from '../../shape/metrics/metric-point.ts'
import { Type } from '../../shape/type.ts'
import { newestBlockMs } from '../../store/query/metrics/days.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { bindingOf, numberCursor } from '../operation/paging.ts'
import type { MetricsContext } from './metrics-context.ts'
import { chainsOf, counted, knownUntil } from './scope.ts'
import { seriesPage } from './series.ts'

const chainName =
  'EVM chain id, blockchain id, total for all chains served, or mainnet or testnet for one network'

const averageTpsShape = {
  id: 'getAverageTps',
  method: 'GET',
  path: '/v1/avg_tps/{chainId}',
  summary: 'Average transactions per second of a chain by day, newest first',
  tag: 'Metrics',
  weight: 100,
  listMessages: true,
  parameters: {
    path: Type.Object({ chainId: Type.String({ description: chainName }) }),
    query: Type.Object({
      pageToken: Type.Optional(Type.String({ description: 'nextPageToken of the page before' })),
      pageSize: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 2_160, default: 100, description: 'points a page' }),
      ),
    }),
  },
  response: Type.Object(
    {
      results: Type.Array(MetricPoint),
      status: Type.Integer({ description: 'always 200' }),
      lastRun: Type.Integer({ description: 'Unix seconds of the newest block counted' }),
      nextPageToken: Type.Optional(Type.String({ description: 'present when more points exist' })),
    },
    { $id: 'AverageTps', additionalProperties: false },
  ),
} as const

/** Document C, part A, operation 1. */
export function averageTps({ chains, tokens, union }: MetricsContext): Operation {
  return operation(averageTpsShape, async ({ path, query }) => {
    const served = chainsOf(chains, path.chainId)
    const binding = bindingOf(averageTpsShape.id, { ...path, ...query })
    const cursor = tokens.open(query.pageToken, binding)
    const limit = query.pageSize ?? 100
    const { chains: over } = await counted(served, 'avgTps')
    const points = await seriesPage(
      {
        chains: over,
        metric: 'avgTps',
        unit: 'day',
        end: await knownUntil(served),
        limit: limit + 1,
        before: cursor && numberCursor.decode(cursor),
      },
      union,
    )
    const results = points.slice(0, limit)
    const last = results[results.length - 1]
    const more = points.length > limit && last !== undefined
    let newestMs = 0
    for (const { store } of served) newestMs = Math.max(newestMs, await newestBlockMs(store))
    return {
      body: {
        results,
        status: 200,
        lastRun: Math.floor(newestMs / 1_000),
        nextPageToken: more
          ? tokens.seal(numberCursor.encode(last.timestamp), binding, 'uuids')
          : undefined,
      },
    }
  })
}
