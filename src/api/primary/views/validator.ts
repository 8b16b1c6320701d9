/** Validators as answers show them, by state: each state has fields of its own. */

import { toCb58, toNodeId } from '../../../core/cb58.ts'
import type { Asset } from '../../../shape/primary/asset.ts'
import type { ValidationRewards, Validator } from '../../../shape/primary/validator.ts'
import type { StoredStaker } from '../../../store/query/primary/stakers.ts'
import type { ServedNetwork } from '../network/networks.ts'
import { autoRenewView, stakingTypeOf } from './auto-renew.ts'
import { blsCredentials, percentOf, ownerAddresses } from './values.ts'

/** Rewards paid for a validation, and from its delegations. */
export type PaidRewards = { readonly validation: bigint; readonly delegation: bigint }

/** Facts that a view uses beside the row. */
export type ValidatorFacts = {
  readonly asset: Asset | undefined
  readonly paid: PaidRewards
  readonly totalWeight: bigint
}

/** One validation. */
export function validatorView(
  network: ServedNetwork,
  row: StoredStaker,
  facts: ValidatorFacts,
): Validator {
  const common = { ...commonView(row), asset: facts.asset }
  switch (row.status) {
    case 'pending':
      return { ...common, validationStatus: 'pending' }
    case 'removed':
      return {
        ...common,
        validationStatus: 'removed',
        removeTxHash: row.endTxId === undefined ? '' : toCb58(row.endTxId),
        removeTimestamp: row.endedTime ?? row.endTime,
      }
    case 'completed':
      return {
        ...common,
        ...autoRenewView(network.hrp, row),
        validationStatus: 'completed',
        delegatorCount: row.totalDelegatorCount,
        amountDelegated: row.permissioned ? undefined : String(row.totalDelegatedWeight),
        rewards: completedRewards(network, row, facts.paid),
      }
    case 'active':
      return { ...common, ...autoRenewView(network.hrp, row), ...activeView(network, row, facts) }
  }
}

function commonView(row: StoredStaker): Omit<Validator, 'validationStatus'> {
  const { publicKey, proofOfPossession } = row
  return {
    txHash: toCb58(row.txId),
    nodeId: toNodeId(row.nodeId),
    subnetId: toCb58(row.subnetId),
    amountStaked: String(row.weight),
    stakingType: stakingTypeOf(row),
    delegationFee: row.delegationShares === undefined ? undefined : percentOf(row.delegationShares),
    startTimestamp: row.startTime,
    endTimestamp: row.endTime,
    ...blsCredentials(publicKey, proofOfPossession),
  }
}

function activeView(
  network: ServedNetwork,
  row: StoredStaker,
  { totalWeight }: ValidatorFacts,
): Partial<Validator> & { readonly validationStatus: 'active' } {
  return {
    validationStatus: 'active',
    stakePercentage: shareOf(row.weight, totalWeight),
    delegatorCount: row.delegatorCount,
    amountDelegated: row.permissioned ? undefined : String(row.delegatedWeight),
    // Nodes give none for validators of other subnets than the primary network.
    uptimePerformance: row.uptime === undefined ? undefined : row.uptime / 10_000,
    delegationCapacity: row.capacity < 0n ? undefined : String(row.capacity),
    potentialRewards: {
      validationRewardAmount: String(row.potentialReward),
      delegationRewardAmount: String(row.delegateeReward),
      rewardAddresses: ownerAddresses(network.hrp, row.validationOwner),
    },
    validatorHealth: {
      reachabilityPercent: row.connected === undefined ? undefined : row.connected ? 100 : 0,
      benchedPChainRequestsPercent: 0,
      benchedXChainRequestsPercent: 0,
      benchedCChainRequestsPercent: 0,
    },
    // Nodes do not publish where they stand; the clients demand the key.
    geolocation: null,
  }
}

/** Percent with six decimals. */
function shareOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 100_000_000n) / whole) / 1_000_000
}

function completedRewards(
  network: ServedNetwork,
  row: StoredStaker,
  paid: PaidRewards,
): ValidationRewards {
  return {
    validationRewardAmount: String(paid.validation),
    delegationRewardAmount: String(paid.delegation),
    rewardAddresses: ownerAddresses(network.hrp, row.validationOwner),
    rewardTxHash: row.endTxId && toCb58(row.endTxId),
  }
}
