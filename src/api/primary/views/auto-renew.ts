/** Auto-renewed validators and their cycles as answers show them. */

import { toCb58 } from '../../../core/cb58.ts'
import type {
  AutoRenewDetails,
  AutoRenewedCycle,
  CurrentAutoRenewedCycle,
  StakingType,
} from '../../../shape/primary/validator.ts'
import type { StoredCycle } from '../../../store/query/primary/rewards.ts'
import type { StoredStaker } from '../../../store/query/primary/stakers.ts'
import type { StoredOwner } from '../../../store/schema/primary/bodies.ts'
import { ownerAddresses } from './values.ts'

type Renewal = NonNullable<StoredStaker['autoRenewal']>

/** `autoRenewed` for a stake that renews itself, else `fixed`. */
export function stakingTypeOf({ autoRenewal }: Pick<StoredStaker, 'autoRenewal'>): StakingType {
  return autoRenewal === undefined ? 'fixed' : 'autoRenewed'
}

/** `autoRenew` of a validator or staking transaction; nothing for a fixed stake. */
export function autoRenewView(
  hrp: string,
  row: StoredStaker,
): { readonly autoRenew?: AutoRenewDetails } {
  const { autoRenewal } = row
  if (autoRenewal === undefined) return {}
  const state = stateOf(row, autoRenewal)
  return {
    autoRenew: {
      state,
      nextPeriodSeconds: autoRenewal.nextPeriod,
      autoCompoundSharePercent: sharePercent(autoRenewal.autoCompoundRewardShares),
      compoundedWeight: String(row.weight),
      accruedValidationRewards: String(autoRenewal.accruedRewards),
      accruedDelegateeRewards: String(autoRenewal.accruedDelegateeRewards),
      validationRewardAddresses: ownerAddresses(hrp, row.validationOwner),
      delegationRewardAddresses: ownerAddresses(hrp, row.delegationOwner),
      exitReason: exitReasons[state],
      endedAtTimestamp: row.endedTime ?? null,
    },
  }
}

const exitReasons = {
  renewing: null,
  exiting: null,
  exited: 'graceful',
  aborted: 'uptime_not_met',
} as const

function stateOf(row: StoredStaker, { nextPeriod }: Renewal): AutoRenewDetails['state'] {
  if (row.status === 'active') return nextPeriod > 0 ? 'renewing' : 'exiting'
  return row.rewarded === true ? 'exited' : 'aborted'
}

/** Percent of millionths. */
function sharePercent(shares: number): number {
  return shares / 10_000
}

/**
 * A cycle that is over. Rewards that earlier cycles restaked are paid at the end and belong to no
 * cycle.
 */
export function cycleView(row: StoredCycle): AutoRenewedCycle {
  const gross = row.outcome === 'aborted' ? 0n : row.potentialReward
  return {
    cycleIndex: row.number,
    stakingTxHash: toCb58(row.stakingTxId),
    rewardTxHash: toCb58(row.rewardTxId),
    startTimestamp: row.startTime,
    endTimestamp: row.endTime,
    weightAtCycleStart: String(row.weight),
    grossValidationReward: String(gross),
    withdrawnValidationReward: String(gross - row.restakedReward),
    compoundedValidationReward: String(row.restakedReward),
    grossDelegateeReward: String(row.delegateeReward),
    withdrawnDelegateeReward: String(row.delegateeReward - row.restakedDelegateeReward),
    compoundedDelegateeReward: String(row.restakedDelegateeReward),
    autoCompoundSharePercent: sharePercent(row.autoCompoundRewardShares),
    outcome: row.outcome,
    delegatorCount: row.delegatorCount,
    amountDelegated: String(row.delegatedWeight),
  }
}

/** The cycle of a position that runs; `before`: its delegations of earlier cycles. */
export function currentCycleView(
  row: StoredStaker & { readonly autoRenewal: Renewal },
  before: { readonly totalDelegatorCount: number; readonly totalDelegatedWeight: bigint },
): CurrentAutoRenewedCycle {
  const { autoRenewal } = row
  return {
    cycleIndex: (autoRenewal.settledCycles ?? 0) + 1,
    stakingTxHash: toCb58(row.txId),
    startTimestamp: row.startTime,
    endTimestamp: row.endTime,
    weightAtCycleStart: String(row.weight),
    projectedValidationReward: String(row.potentialReward),
    accruedDelegateeReward: String(row.delegateeReward),
    autoCompoundSharePercent: sharePercent(autoRenewal.autoCompoundRewardShares),
    state: stateOf(row, autoRenewal),
    delegatorCount: row.totalDelegatorCount - before.totalDelegatorCount,
    amountDelegated: String(row.totalDelegatedWeight - before.totalDelegatedWeight),
  }
}

/**
 * The part of `potentialReward` that the running cycle will pay out, before the limit of a stake.
 */
export function withdrawnPart({ autoRenewal, potentialReward }: StoredStaker): bigint {
  if (autoRenewal === undefined || autoRenewal.nextPeriod === 0) return potentialReward
  // Upstream's Split: the remainder is rounded down. Source: avalanchego vms/platformvm/reward.
  const kept = BigInt(1_000_000 - autoRenewal.autoCompoundRewardShares)
  return (kept * potentialReward) / 1_000_000n
}

/**
 * Restaked rewards of positions, those of validating for owners of the validation's rewards, fees
 * for owners of the delegations'. An owner counts when enough of its addresses are among `owners`,
 * as with UTXOs.
 */
export function restakedOf(
  positions: readonly StoredStaker[],
  isWanted: (address: Uint8Array) => boolean,
): bigint {
  const owns = (owner: StoredOwner | undefined): boolean =>
    owner !== undefined && owner.addresses.filter(isWanted).length >= Math.max(1, owner.threshold)
  return positions.reduce((sum, { autoRenewal, validationOwner, delegationOwner }) => {
    if (autoRenewal === undefined) return sum
    const rewards = owns(validationOwner) ? autoRenewal.accruedRewards : 0n
    return sum + rewards + (owns(delegationOwner) ? autoRenewal.accruedDelegateeRewards : 0n)
  }, 0n)
}
