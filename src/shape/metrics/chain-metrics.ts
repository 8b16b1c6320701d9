import { Type } from '../type.ts'
import { metricNames, timeIntervals } from './metric-names.ts'
import { MetricPoint } from './metric-point.ts'

const chainName =
  'EVM chain id, blockchain id, total for all chains served, or mainnet or testnet for one network'

/** Document C, part A, operation 2. */
export const chainMetricsShape = {
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
      startTimestamp: Type.Optional(
        Type.Integer({ minimum: 0, description: 'only points after this Unix second' }),
      ),
      endTimestamp: Type.Optional(
        Type.Integer({ minimum: 0, description: 'only points before this Unix second' }),
      ),
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

/** Document C, part A, operation 1. */
export const averageTpsShape = {
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
