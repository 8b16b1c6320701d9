/** The primary network as a whole: supply, stake, subnets and blockchains. */

import { MetricPoint, pointRange } from '../metrics/metric-point.ts'
import { pageShape } from '../page-shape.ts'
import { Asset } from '../primary/asset.ts'
import {
  ChainPath,
  NetworkPath,
  PageToken,
  SortOrder,
  SubnetId,
  pageSize,
} from '../primary/parameters.ts'
import { Blockchain, Subnet } from '../primary/subnet.ts'
import { type Schema, Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

const nAvax = (description: string): Schema<string> =>
  Type.String(`${description}, nAVAX`, { pattern: '^[0-9]+$' })

const percent = (description: string): Schema<string> =>
  Type.String(`${description}, percent with two decimals`)

const avax = (description: string): Schema<string> =>
  Type.String(`${description}, AVAX with decimals`)

/** Metrics of stakers. */
export const stakingMetrics = [
  'validatorCount',
  'validatorWeight',
  'delegatorCount',
  'delegatorWeight',
] as const

/** The primary network as a whole: supply, stake, subnets and blockchains. */
export const PrimaryNetwork = contracts('Primary Network', {
  listSubnets: {
    path: '/v1/networks/{network}/subnets',
    summary:
      'Subnets with their chains, without the primary network, which is no subnet of its own',
    pathParameters: NetworkPath,
    query: {
      pageToken: PageToken,
      pageSize: pageSize(100, 10_000),
      sortOrder: SortOrder,
    },
    response: pageShape({ subnets: Type.Array(Subnet) }),
  },
  getSubnetById: {
    path: '/v1/networks/{network}/subnets/{subnetId}',
    summary: 'One subnet with its chains',
    lane: 'item',
    pathParameters: { ...NetworkPath, subnetId: SubnetId },
    response: Subnet,
  },
  listBlockchains: {
    path: '/v1/networks/{network}/blockchains',
    summary: 'Chains of all subnets',
    pathParameters: NetworkPath,
    query: {
      pageToken: PageToken,
      pageSize: pageSize(100, 10_000),
      sortOrder: SortOrder,
    },
    response: pageShape({ blockchains: Type.Array(Blockchain) }),
  },
  getBlockchainById: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}',
    summary: 'One chain',
    lane: 'item',
    pathParameters: ChainPath,
    response: Blockchain,
  },
  getNetworkDetails: {
    path: '/v1/networks/{network}',
    summary: 'Stake, delegation and reward rates of the primary network',
    weight: 100,
    pathParameters: NetworkPath,
    response: Type.Object({
      validatorDetails: Type.Object(
        {
          validatorCount: Type.Integer('Validators'),
          totalAmountStaked: nAvax('stake of validators themselves'),
          estimatedAnnualStakingReward: nAvax(
            'rewards of all running validations and delegations by their ends',
          ),
          stakingDistributionByVersion: Type.Array(
            Type.Object({
              version: Type.String(
                '`offline`: not connected to the node used; `unknown`: connected or not checked',
                { examples: ['1.0.0'] },
              ),
              amountStaked: nAvax('stake of these nodes, delegations included'),
              validatorCount: Type.Integer('Validators'),
            }),
            'most stake first',
          ),
          stakingRatio: Type.String('stake and delegations over the current supply'),
        },
        'Sums over validators',
      ),
      delegatorDetails: Type.Object(
        {
          delegatorCount: Type.Integer('Delegations'),
          totalAmountStaked: nAvax('delegated'),
        },
        'Sums over delegations',
      ),
      apr: Type.Object(
        { shortest: percent('of a stake of 14 days'), longest: percent('of a stake of 365 days') },
        'yearly rate of a stake that begins now; a delegator’s is less by the fee',
      ),
      currentSupply: nAvax('existing amount, rewards of running stakes included'),
    }),
  },
  getValidatorsByDateRange: {
    path: '/v2/subnets/{subnetId}/validators:getAddresses',
    summary: 'Reward owners of validations of a subnet that overlap a range of time, newest first',
    tag: 'Network metrics',
    weight: 500,
    pathParameters: { subnetId: SubnetId },
    query: {
      startTimestamp: Optional.Integer({ minimum: 0, description: 'Unix seconds' }),
      endTimestamp: Optional.Integer({ minimum: 0, description: 'Unix seconds' }),
      network: Optional.Enum(
        ['mainnet', 'fuji', 'testnet'],
        'default: mainnet where it is served, else the other',
      ),
      pageToken: PageToken,
      pageSize: pageSize(1_000, 5_000),
    },
    response: pageShape({
      addresses: Type.Array(
        Type.Object({
          addresses: Type.Array(Type.String(), 'owners of the rewards, bech32'),
          sortKey: Type.String('time of the staking transaction, Unix seconds'),
        }),
        'Addresses',
      ),
    }),
  },
  getStakingMetrics: {
    path: '/v2/networks/{network}/metrics/{metric}',
    summary: 'Validators and delegators of a subnet by day, newest first',
    tag: 'Network metrics',
    weight: 100,
    pathParameters: {
      ...NetworkPath,
      metric: Type.Enum(
        stakingMetrics,
        'counts, or weights in the smallest unit of `asset`; without one they are plain weights',
      ),
    },
    query: {
      ...pointRange,
      subnetId: Type.Optional(SubnetId),
      pageToken: PageToken,
      pageSize: pageSize(100, 2_160),
    },
    response: pageShape({ results: Type.Array(MetricPoint), asset: Type.Optional(Asset) }),
  },
  getAvaxSupply: {
    path: '/v1/avax/supply',
    summary: 'Supply of AVAX: what exists, what was burned and what is staked',
    weight: 1,
    query: {
      network: Optional.Enum(
        ['mainnet', 'fuji', 'testnet'],
        'network meant; default mainnet where it is served, else the other',
      ),
      partial: Optional.Boolean({
        default: false,
        description: 'answer with what is known where not everything is',
      }),
    },
    response: Type.Object({
      circulatingSupply: Type.Optional(avax('the total supply: what is locked counts, too')),
      totalSupply: Type.Optional(
        avax('`genesisUnlock` and `totalRewards` less what was burned on the three chains'),
      ),
      totalPBurned: Type.Optional(avax('fees of P-Chain transactions and of L1 validators')),
      totalCBurned: Type.Optional(avax('fees of the C-Chain, imports and exports among them')),
      totalXBurned: Type.Optional(avax('fees of X-Chain transactions')),
      totalStaked: avax('stake of active validators and delegators'),
      totalLocked: avax('locked by genesis and not unlocked yet'),
      totalRewards: avax('rewards of stakes that are over, restaked ones among them'),
      genesisUnlock: avax('allocated by genesis, locked or not'),
      l1ValidatorFees: avax('what L1 validators have paid; part of `totalPBurned`'),
      lastUpdated: Type.String('when this was summed, ISO 8601', {
        format: 'date-time',
        examples: ['2026-11-24T12:00:00.000Z'],
      }),
      notTold: Optional.Array(Type.String(), 'fields that are left out, and why', {
        examples: [[]],
      }),
    }),
  },
} as const satisfies Declarations)
