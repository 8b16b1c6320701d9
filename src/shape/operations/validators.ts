/** Validators, delegators and rewards. */

import { currencies } from '../evm/token.ts'
import { pageShape } from '../page-shape.ts'
import {
  Addresses,
  NetworkPath,
  NodeIds,
  NodePath,
  SortOrder,
  SubnetId,
  pageQuery,
} from '../primary/parameters.ts'
import {
  AutoRenewedCycle,
  CurrentAutoRenewedCycle,
  Delegator,
  HistoricalReward,
  PendingReward,
  Validator,
  delegationStatuses,
  validationStatuses,
} from '../primary/validator.ts'
import { type OptionalSchema, Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

/** Columns by which validators can be sorted. */
const validatorSorts = [
  'blockIndex',
  'delegationCapacity',
  'timeRemaining',
  'delegationFee',
  'uptimePerformance',
] as const

const between = (minimum: number, maximum: number, description: string): OptionalSchema<number> =>
  Optional.Number({ minimum, maximum, description, examples: [minimum] })

// 720 M AVAX, all there can ever be.
const capacity = (description: string): OptionalSchema<string> =>
  Optional.String({
    description,
    pattern: '^(0|[1-9][0-9]{0,16}|[1-6][0-9]{17}|7[01][0-9]{16}|720{16})$',
    allowed: 'an integer from 0 to 720000000000000000',
    examples: ['1000000000'],
  })

const ofRewards = {
  addresses: Type.Optional(Addresses),
  nodeIds: Type.Optional(NodeIds),
  ...pageQuery,
  sortOrder: SortOrder,
}

/** Validators, delegators and rewards. */
export const Validators = contracts('Primary Network', {
  listValidators: {
    path: '/v1/networks/{network}/validators',
    summary: 'Validators of the primary network and of subnets, in all states',
    pathParameters: NetworkPath,
    query: {
      ...pageQuery,
      nodeIds: Optional.String('Comma-separated node ids, or parts of them', {
        maxLength: 8_192,
      }),
      sortBy: Optional.Enum(validatorSorts, {
        default: 'blockIndex',
        description: 'Order of the list; delegationFee: mainnet, primary subnet only',
      }),
      sortOrder: SortOrder,
      validationStatus: Optional.Enum(validationStatuses, 'State of the validation'),
      minDelegationCapacity: capacity(
        'Least capacity left for delegations, in the unit of the stake',
      ),
      maxDelegationCapacity: capacity(
        'Most capacity left for delegations, in the unit of the stake',
      ),
      minTimeRemaining: between(0, 2_147_483_647, 'Least time left, seconds'),
      maxTimeRemaining: between(0, 2_147_483_647, 'Most time left, seconds'),
      minFeePercentage: between(2, 100, 'Least delegation fee, percent'),
      maxFeePercentage: between(2, 100, 'Most delegation fee, percent'),
      minUptimePerformance: between(0, 100, 'Least uptime as the node saw it, percent'),
      maxUptimePerformance: between(0, 100, 'Most uptime as the node saw it, percent'),
      subnetId: Type.Optional(SubnetId),
    },
    response: pageShape({ validators: Type.Array(Validator) }),
  },
  listHistoricalPrimaryNetworkRewards: {
    path: '/v1/networks/{network}/rewards',
    summary: 'Rewards paid to addresses or for nodes',
    tag: 'Primary Network Rewards',
    weight: 100,
    pathParameters: NetworkPath,
    query: {
      ...ofRewards,
      currency: Optional.Enum(currencies, { default: 'usd', description: 'Currency of prices' }),
    },
    response: pageShape({ historicalRewards: Type.Array(HistoricalReward) }),
  },
  getSingleValidatorDetails: {
    path: '/v1/networks/{network}/validators/{nodeId}',
    summary: 'Validations of one node',
    pathParameters: NodePath,
    query: {
      ...pageQuery,
      validationStatus: Optional.Enum(validationStatuses, 'State of the validation'),
      sortOrder: SortOrder,
    },
    response: pageShape({ validators: Type.Array(Validator) }),
  },
  listAutoRenewedValidatorCycles: {
    path: '/v1/networks/{network}/validators/{nodeId}/cycles',
    summary: 'Cycles of the auto-renewed validators of a node, and the one that runs',
    pathParameters: NodePath,
    query: {
      txHash: Optional.String(
        'Only the position that this AddAutoRenewedValidatorTx began, cb58 or hex',
        { maxLength: 128 },
      ),
      sortOrder: SortOrder,
      ...pageQuery,
    },
    response: pageShape({
      cycles: Type.Array(AutoRenewedCycle, 'cycles that are over'),
      currentCycle: Type.Optional(CurrentAutoRenewedCycle),
    }),
  },
  listDelegators: {
    path: '/v1/networks/{network}/delegators',
    summary: 'Delegations by reward address, by node, or all, in every state',
    pathParameters: NetworkPath,
    query: {
      ...pageQuery,
      rewardAddresses: Optional.String(
        'Comma-separated owners of rewards: bech32, bare or after `P-`',
        { maxLength: 16_384, examples: ['P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t'] },
      ),
      nodeIds: Type.Optional(NodeIds),
      delegationStatus: Optional.Enum(delegationStatuses, 'State of the delegation'),
      sortOrder: SortOrder,
    },
    response: pageShape({ delegators: Type.Array(Delegator) }),
  },
  listPendingPrimaryNetworkRewards: {
    path: '/v1/networks/{network}/rewards:listPending',
    summary: 'Rewards to come for running stakes of addresses or nodes',
    tag: 'Primary Network Rewards',
    pathParameters: NetworkPath,
    query: ofRewards,
    response: pageShape({ pendingRewards: Type.Array(PendingReward) }),
  },
} as const satisfies Declarations)
