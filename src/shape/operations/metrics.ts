/** Series of chains. */

import { networkNames } from '../../core/network.ts'
import { metricNames, rollingMetricNames, timeIntervals } from '../metrics/metric-names.ts'
import { MetricPoint, pointPage, pointRange } from '../metrics/metric-point.ts'
import { MetricsChain } from '../metrics/metrics-chain.ts'
import { Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

const chainName =
  'EVM chain id, blockchain id, total for all chains served, or mainnet or testnet for one network'

const NextPageToken = Optional.String('present when more points exist', { examples: ['AQ3gk2…'] })

/** Series of chains. */
export const Metrics = contracts('Metrics', {
  getChainMetrics: {
    path: '/v2/chains/{chainId}/metrics/{metric}',
    summary: 'Series of a metric of a chain, newest point first',
    weight: 100,
    pathParameters: {
      chainId: Type.String(chainName),
      metric: Type.Enum(metricNames, 'metric'),
    },
    query: {
      ...pointRange,
      timeInterval: Optional.Enum(timeIntervals, {
        default: 'day',
        description: 'length of a period',
      }),
      ...pointPage,
    },
    response: Type.Component('ChainMetrics', 'A series, newest first', {
      nextPageToken: NextPageToken,
      results: Type.Array(MetricPoint),
    }),
  },
  getAverageTps: {
    path: '/v1/avg_tps/{chainId}',
    summary: 'Average transactions per second of a chain by day, newest first',
    weight: 100,
    listMessages: true,
    pathParameters: { chainId: Type.String(chainName) },
    query: pointPage,
    response: Type.Component('AverageTps', 'Transactions a second of the last days', {
      results: Type.Array(MetricPoint),
      status: Type.Integer('always 200'),
      lastRun: Type.Integer('Unix seconds of the newest block counted'),
      nextPageToken: NextPageToken,
    }),
  },
  getRollingWindowMetrics: {
    path: '/v2/chains/{chainId}/rollingWindowMetrics/{metric}',
    summary: 'A metric of a chain over the last hour, day, week, month, 90 days, year and all time',
    weight: 100,
    pathParameters: {
      chainId: Type.String('EVM chain id, blockchain id, total, mainnet or testnet'),
      metric: Type.Enum(rollingMetricNames, 'metric'),
    },
    response: Type.Component(
      'RollingWindowMetrics',
      'Sums of the last hour, day, month and so on',
      {
        result: Type.Object(
          {
            lastHour: Type.Number('the running hour, or day for metrics of days only'),
            lastDay: Type.Number('24 hours'),
            lastWeek: Type.Number('7 days'),
            lastMonth: Type.Number('30 days'),
            last90Days: Type.Number('90 days'),
            lastYear: Type.Number('365 days'),
            allTime: Type.Number('since the first block'),
          },
          { additionalProperties: false, description: 'The answer' },
        ),
      },
    ),
  },
  listMetricsChains: {
    path: '/v2/chains',
    summary: 'Chains that have metrics',
    weight: 1,
    query: {
      network: Optional.Enum(networkNames, 'only of this network'),
      pageToken: Optional.String('nextPageToken of the page before', { examples: ['AQ3gk2…'] }),
    },
    response: Type.Component('MetricsChains', 'Chains with metrics', {
      nextPageToken: Optional.String('present when more chains exist', { examples: ['AQ3gk2…'] }),
      chains: Type.Array(MetricsChain),
    }),
  },
  getMetricsChain: {
    path: '/v2/chains/{chainId}',
    summary: 'One chain that has metrics',
    weight: 1,
    lane: 'item',
    pathParameters: { chainId: Type.String('EVM chain id or blockchain id') },
    response: MetricsChain,
  },
} as const satisfies Declarations)
