/**
 * Number and weight of the stakers of each subnet at the end of each day.
 *
 * Kept up with every change, so that a series of years costs no look at the stakers.
 */

import type { StakeDayRow, StakeTotals } from '../../batch/staking-rows.ts'
import type { Adds, Staker } from '../draft.ts'
import { subnetKey } from './staker-set.ts'

const daySeconds = 86_400

/** Totals of active stakers by `subnetKey`. */
export type TotalsBySubnet = Map<string, StakeTotals>

const nobody: StakeTotals = {
  validatorCount: 0,
  validatorWeight: 0n,
  delegatorCount: 0,
  delegatorWeight: 0n,
}

/** A change of one staker: `count` -1, 0 or 1, and by how much its weight grew. */
export type StakeChange = { readonly count: number; readonly weight: bigint; readonly time: number }

/** Counts a change in; `staker` says whose. */
export function addToTotals(
  totals: TotalsBySubnet,
  staker: Staker,
  change: StakeChange,
): StakeTotals {
  const key = subnetKey(staker.subnetId)
  const before = totals.get(key) ?? nobody
  const { count, weight } = change
  const after =
    staker.role === 'validator'
      ? {
          ...before,
          validatorCount: before.validatorCount + count,
          validatorWeight: before.validatorWeight + weight,
        }
      : {
          ...before,
          delegatorCount: before.delegatorCount + count,
          delegatorWeight: before.delegatorWeight + weight,
        }
  totals.set(key, after)
  return after
}

/** Counts a change in and notes how the day stands with it. */
export function noteStakeChange(
  { totals, draft }: { readonly totals: TotalsBySubnet } & Adds<'stakeDays'>,
  staker: Staker,
  change: StakeChange,
): void {
  const after = addToTotals(totals, staker, change)
  const { subnetId } = staker
  const day = change.time - (change.time % daySeconds)
  const row: StakeDayRow = { subnetId, day, ...after }
  draft.stakeDays.set(`${subnetKey(subnetId)}${day}`, row)
}
