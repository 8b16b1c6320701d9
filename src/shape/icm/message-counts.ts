/** Messages counted. Source: official clients, ICMMetricsApiResponse and neighbours. */

import { networkNames } from '../../core/network.ts'
import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'

const groupings = [
  'srcBlockchainId',
  'destBlockchainId',
  'srcBlockchainId,destBlockchainId',
] as const

const filters = {
  srcBlockchainId: Type.Optional(
    Type.String({ description: 'only sent from this blockchain, cb58 or hex', maxLength: 128 }),
  ),
  destBlockchainId: Type.Optional(
    Type.String({ description: 'only sent to this blockchain, cb58 or hex', maxLength: 128 }),
  ),
  groupBy: Type.Optional(
    Type.Enum([...groupings], { description: 'a row for each id; default: all together' }),
  ),
  network: Type.Optional(Type.Enum([...networkNames], { description: 'only of this network' })),
}

const ends = {
  srcBlockchainId: Type.String({ description: 'cb58; `total` when any' }),
  destBlockchainId: Type.String({ description: 'cb58; `total` when any' }),
}
const sent = (window: string): ReturnType<typeof Type.Integer> =>
  Type.Integer({ description: `messages sent ${window}` })

const Windows = Type.Object(
  {
    ...ends,
    lastHour: sent('in this hour and the one before'),
    lastDay: sent('in the last 24 hours, whole hours'),
    lastWeek: sent('in 7 days'),
    lastMonth: sent('in 30 days'),
    last90Days: sent('in 90 days'),
    lastYear: sent('in 365 days'),
    allTime: sent('ever'),
  },
  { $id: 'IcmWindows', additionalProperties: false },
)

/** Messages sent by hour, day, week or month. */
export const GetIcmTimeseries = {
  id: 'getICMTimeseries',
  method: 'GET',
  path: '/v2/icm/timeseries',
  summary: 'Interchain messages sent per period, newest first',
  tag: 'Interchain messages',
  weight: 100,
  parameters: {
    path: Type.Object({}),
    query: Type.Object({
      ...filters,
      startTimestamp: Type.Optional(
        Type.Integer({ minimum: 0, description: 'only periods after this Unix second' }),
      ),
      endTimestamp: Type.Optional(
        Type.Integer({ minimum: 0, description: 'only periods before this Unix second' }),
      ),
      timeInterval: Type.Optional(
        Type.Enum(['hour', 'day', 'week', 'month'], { default: 'day', description: 'period' }),
      ),
      pageToken: Type.Optional(Type.String({ description: 'nextPageToken of the page before' })),
      pageSize: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 2_160, default: 100, description: 'points a page' }),
      ),
    }),
  },
  response: Type.Object({
    nextPageToken,
    results: Type.Array(
      Type.Object(
        { value: sent('in the period'), timestamp: Type.Integer(), ...ends },
        { $id: 'IcmPoint', additionalProperties: false },
      ),
    ),
  }),
} as const

/** Messages sent within windows that end now. */
export const GetIcmSummary = {
  id: 'getICMSummary',
  method: 'GET',
  path: '/v2/icm/summary',
  summary: 'Interchain messages sent within windows that end now',
  tag: 'Interchain messages',
  weight: 100,
  parameters: { path: Type.Object({}), query: Type.Object(filters) },
  response: Type.Object({
    result: Type.Intersect([Windows], { description: 'the only row, or the greatest' }),
    results: Type.Array(Windows, { description: 'all rows, greatest first' }),
  }),
} as const

/** How many messages a chain sent and received, ever. */
export const GetTeleporterMetrics = {
  id: 'getTeleporterMetricsByChain',
  method: 'GET',
  path: '/v2/chains/{chainId}/teleporterMetrics/{metric}',
  summary: 'Messages a chain sent, received, or both',
  tag: 'Interchain messages',
  weight: 100,
  parameters: {
    path: Type.Object({
      chainId: Type.String({
        description: 'chain id, blockchain id, or total, mainnet, testnet',
        maxLength: 512,
      }),
      metric: Type.Enum([
        'teleporterSourceTxnCount',
        'teleporterDestinationTxnCount',
        'teleporterTotalTxnCount',
      ]),
    }),
    query: Type.Object({}),
  },
  response: Type.Object({ result: Type.Object({ value: Type.Integer() }) }),
} as const
