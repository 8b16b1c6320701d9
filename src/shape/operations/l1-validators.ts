/** Validators of L1s, and what they pay. */

import { MetricPoint, pointRange } from '../metrics/metric-point.ts'
import { pageShape } from '../page-shape.ts'
import { NetworkPath, SubnetId, pageQuery } from '../primary/parameters.ts'
import { cb58, nanoAvax } from '../primary/scalars.ts'
import { L1Validator } from '../primary/validator.ts'
import { Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

const days = Type.Number('days the balance lasts at this rate, two decimals')

/** The current fee rate. */
export const FeeRate = Type.Component('L1FeeRate', 'What an L1 validator pays now', {
  perSecond: nanoAvax('fee of each active validator a second, at present'),
  perDay: nanoAvax('the same, for a day at this rate'),
  activeValidators: Type.Integer('of the whole network'),
  target: Type.Integer('more active validators make the rate grow'),
  excess: Type.String('validator-seconds above the target so far'),
})

const network = Optional.Enum(
  ['mainnet', 'fuji', 'testnet'],
  'network meant; default the first served that knows the id, mainnet before others',
)

const feeSeries = {
  weight: 100,
  response: Type.Object({ results: Type.Array(MetricPoint) }),
} as const

const feeQuery = { ...pointRange, network }

/** Validators of L1s, and what they pay. */
export const L1Validators = contracts('L1 metrics', {
  listL1Validators: {
    path: '/v1/networks/{network}/l1Validators',
    summary: 'Validators of L1s with their balances',
    tag: 'Primary Network',
    pathParameters: NetworkPath,
    query: {
      ...pageQuery,
      l1ValidationId: Optional.String('Only this validation, cb58 or hex', { maxLength: 128 }),
      nodeId: Optional.String('Only this node', { maxLength: 128 }),
      subnetId: Type.Optional(SubnetId),
      includeInactiveL1Validators: Optional.Boolean({
        default: false,
        description: 'Also validators whose balance is spent',
      }),
    },
    response: pageShape({
      blockHeight: Type.String('P-Chain height of the balances'),
      validators: Type.Array(L1Validator),
    }),
  },
  listL1ValidatorChanges: {
    path: '/v1/networks/{network}/l1Validators/{l1ValidationId}/changes',
    summary: 'Changes of the weight and the balance of an L1 validation, newest first',
    tag: 'Primary Network',
    pathParameters: {
      ...NetworkPath,
      l1ValidationId: Type.String('validation id, cb58 or hex', { maxLength: 128 }),
    },
    query: pageQuery,
    response: pageShape({
      changes: Type.Array(
        Type.Object({
          timestamp: Type.Integer('Unix seconds of the chain'),
          blockHeight: Type.String('P-Chain height'),
          txHash: Type.Optional(cb58),
          weight: Type.Integer('Weight after it; 0: it was removed'),
          remainingBalance: nanoAvax('balance after it'),
          balanceAdded: nanoAvax('what was paid in'),
          balanceReturned: nanoAvax('what was paid out'),
          isActive: Type.Boolean('Whether it validates after it'),
        }),
        'Without a transaction: its balance was used up',
      ),
    }),
  },
  listL1ValidatorFunds: {
    path: '/v1/networks/{network}/l1Validators:listFunds',
    summary: 'Balances of active L1 validators and how long they last, shortest first',
    weight: 100,
    pathParameters: NetworkPath,
    query: { subnetId: Type.Optional(SubnetId), ...pageQuery },
    response: pageShape({
      feeRate: FeeRate,
      validators: Type.Array(
        Type.Component(
          'L1ValidatorFunds',
          'The balance of an L1 validator, and how long it lasts',
          {
            validationId: cb58,
            nodeId: Type.String('Id of the node'),
            subnetId: cb58,
            weight: Type.Integer('Weight in the set of validators'),
            remainingBalance: nanoAvax('balance'),
            daysLeft: days,
          },
        ),
      ),
    }),
  },
  listL1Funds: {
    path: '/v1/networks/{network}/subnets:listFunds',
    summary:
      'Validators, weight and balances of L1s, the one whose first validator runs out coming first',
    weight: 100,
    pathParameters: NetworkPath,
    query: pageQuery,
    response: pageShape({
      feeRate: FeeRate,
      subnets: Type.Array(
        Type.Component(
          'L1Funds',
          'The balances of the validators of an L1, and how long they last',
          {
            subnetId: cb58,
            validatorCount: Type.Integer('validations that were not removed'),
            activeValidatorCount: Type.Integer('those with a balance'),
            seats: Type.Integer('validatorCount by its old name, until 0.2'),
            activeSeats: Type.Integer('activeValidatorCount by its old name, until 0.2'),
            totalWeight: Type.Integer('of all validators'),
            activeWeight: Type.Integer('of those that can sign'),
            totalBalance: nanoAvax('balances together'),
            feesPerDay: nanoAvax('fees of all of them a day, at this rate'),
            daysLeft: Optional.Number('until the first active validator runs out'),
          },
        ),
      ),
    }),
  },
  getTotalL1ValidatorMetrics: {
    ...feeSeries,
    path: '/v2/validators/metrics/{metric}',
    summary: 'Fees of all L1 validators by day, newest first',
    pathParameters: {
      metric: Type.Enum(
        ['totalCumulativeFeesDaily', 'totalValidatorFeesDaily', 'totalPayingValidatorsDaily'],
        'fees in nAVAX, or how many validators paid any',
      ),
    },
    query: feeQuery,
  },
  getMetricsByValidationId: {
    ...feeSeries,
    path: '/v2/validation/{l1ValidationId}/metrics/{metric}',
    summary: 'Fees of an L1 validation by day, newest first',
    pathParameters: {
      l1ValidationId: Type.String('validation id, cb58 or hex', { maxLength: 128 }),
      metric: Type.Enum(['validationCumulativeFeesDaily', 'validationFeesDaily'], 'fees in nAVAX'),
    },
    query: feeQuery,
  },
  getMetricsByNodeId: {
    ...feeSeries,
    path: '/v2/validator/{nodeId}/metrics/{metric}',
    summary: 'Fees of the L1 validations of a node by day, newest first',
    pathParameters: {
      nodeId: Type.String('node id', { maxLength: 128 }),
      metric: Type.Enum(['perNodeCumulativeFeesPaid', 'perNodeDailyFeesPaid'], 'fees in nAVAX'),
    },
    query: feeQuery,
  },
  getMetricsBySubnetId: {
    ...feeSeries,
    path: '/v2/subnet/{subnetId}/metrics/{metric}',
    summary: 'Fees of the validators of an L1 by day, newest first',
    pathParameters: {
      subnetId: SubnetId,
      metric: Type.Enum(
        ['perSubnetDailyFeesPaid', 'perSubnetCumulativeFeesPaid', 'perSubnetPayingValidators'],
        'fees in nAVAX, or how many validators paid any',
      ),
    },
    query: feeQuery,
  },
} as const satisfies Declarations)
