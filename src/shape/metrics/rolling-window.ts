import type { TNumber } from 'typebox'

import { Type } from '../type.ts'
import { metricNames } from './metric-names.ts'

/** Metrics a rolling window can be asked for: all but the cumulative ones. */
export const rollingMetricNames = metricNames.filter((name) => !name.startsWith('cumulative'))

const value = (description: string): TNumber => Type.Number({ description })

/** Neighbour of document C: values over windows that end now. */
export const rollingWindowShape = {
  id: 'getRollingWindowMetrics',
  method: 'GET',
  path: '/v2/chains/{chainId}/rollingWindowMetrics/{metric}',
  summary: 'A metric of a chain over the last hour, day, week, month, 90 days, year and all time',
  tag: 'Metrics',
  weight: 100,
  parameters: {
    path: Type.Object({
      chainId: Type.String({
        description: 'EVM chain id, blockchain id, total, mainnet or testnet',
      }),
      metric: Type.Enum(rollingMetricNames, { description: 'metric' }),
    }),
    query: Type.Object({}),
  },
  response: Type.Object(
    {
      result: Type.Object(
        {
          lastHour: value('the running hour, or day for metrics of days only'),
          lastDay: value('24 hours'),
          lastWeek: value('7 days'),
          lastMonth: value('30 days'),
          last90Days: value('90 days'),
          lastYear: value('365 days'),
          allTime: value('since the first block'),
        },
        { additionalProperties: false },
      ),
    },
    { $id: 'RollingWindowMetrics', additionalProperties: false },
  ),
} as const
