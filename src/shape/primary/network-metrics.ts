/**
 * Series of the primary network: its stakers, and what L1 validators pay. Source: official clients,
 * metrics.networks and metrics.l1Validators; units are ours where theirs are not told.
 */

import { MetricPoint } from '../metrics/metric-point.ts'
import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { NetworkPath, PageToken, pageSize, SubnetId } from './parameters.ts'

/** Metrics of stakers. */
export const stakingMetrics = [
  'validatorCount',
  'validatorWeight',
  'delegatorCount',
  'delegatorWeight',
] as const

const range = {
  startTimestamp: Type.Optional(
    Type.Integer({ minimum: 0, description: 'only points after this Unix second' }),
  ),
  endTimestamp: Type.Optional(
    Type.Integer({ minimum: 0, description: 'only points before this Unix second' }),
  ),
}

const network = Type.Optional(
  Type.Enum(['mainnet', 'fuji', 'testnet'], {
    description: 'network meant; default the first served that knows the id, mainnet before others',
  }),
)

/** Stakers of a subnet day by day. */
export const GetStakingMetrics = {
  id: 'getStakingMetrics',
  method: 'GET',
  path: '/v2/networks/{network}/metrics/{metric}',
  summary: 'Validators and delegators of a subnet by day, newest first',
  tag: 'Network metrics',
  weight: 100,
  parameters: {
    path: Type.Object({
      ...NetworkPath.properties,
      metric: Type.Enum([...stakingMetrics], {
        description: 'counts, or weights in nAVAX (for other subnets in the unit of their stake)',
      }),
    }),
    query: Type.Object({
      ...range,
      subnetId: Type.Optional(SubnetId),
      pageToken: PageToken,
      pageSize: pageSize(100, 2_160),
    }),
  },
  response: Type.Object({ nextPageToken, results: Type.Array(MetricPoint) }),
} as const

const feeSeries = {
  method: 'GET',
  tag: 'L1 metrics',
  weight: 100,
  response: Type.Object({ results: Type.Array(MetricPoint) }),
} as const

const feeQuery = Type.Object({ ...range, network })

/** What all L1 validators pay. */
export const GetTotalL1ValidatorMetrics = {
  ...feeSeries,
  id: 'getTotalL1ValidatorMetrics',
  path: '/v2/validators/metrics/{metric}',
  summary: 'Fees of all L1 validators by day, newest first',
  parameters: {
    path: Type.Object({
      metric: Type.Enum(
        ['totalCumulativeFeesDaily', 'totalValidatorFeesDaily', 'totalPayingValidatorsDaily'],
        { description: 'fees in nAVAX, or how many validators paid any' },
      ),
    }),
    query: feeQuery,
  },
} as const

/** What one validation of an L1 pays. */
export const GetMetricsByValidationId = {
  ...feeSeries,
  id: 'getMetricsByValidationId',
  path: '/v2/validation/{l1ValidationId}/metrics/{metric}',
  summary: 'Fees of an L1 validation by day, newest first',
  parameters: {
    path: Type.Object({
      l1ValidationId: Type.String({ description: 'validation id, cb58 or hex', maxLength: 128 }),
      metric: Type.Enum(['validationCumulativeFeesDaily', 'validationFeesDaily'], {
        description: 'fees in nAVAX',
      }),
    }),
    query: feeQuery,
  },
} as const

/** What the L1 validations of a node pay. */
export const GetMetricsByNodeId = {
  ...feeSeries,
  id: 'getMetricsByNodeId',
  path: '/v2/validator/{nodeId}/metrics/{metric}',
  summary: 'Fees of the L1 validations of a node by day, newest first',
  parameters: {
    path: Type.Object({
      nodeId: Type.String({ description: 'node id', maxLength: 128 }),
      metric: Type.Enum(['perNodeCumulativeFeesPaid', 'perNodeDailyFeesPaid'], {
        description: 'fees in nAVAX',
      }),
    }),
    query: feeQuery,
  },
} as const

/** What the validators of an L1 pay. */
export const GetMetricsBySubnetId = {
  ...feeSeries,
  id: 'getMetricsBySubnetId',
  path: '/v2/subnet/{subnetId}/metrics/{metric}',
  summary: 'Fees of the validators of an L1 by day, newest first',
  parameters: {
    path: Type.Object({
      subnetId: SubnetId,
      metric: Type.Enum(
        ['perSubnetDailyFeesPaid', 'perSubnetCumulativeFeesPaid', 'perSubnetPayingValidators'],
        { description: 'fees in nAVAX, or how many validators paid any' },
      ),
    }),
    query: feeQuery,
  },
} as const
