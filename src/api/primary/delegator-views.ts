/** Delegations as answers show them. */

import { toPrimaryAddress } from '../../core/address.ts'
import { keyOf } from '../../core/bytes.ts'
import { toCb58, toNodeId } from '../../core/cb58.ts'
import { itemAt } from '../../core/item-at.ts'
import type { Delegator } from '../../shape/primary/delegator.ts'
import { rewardsOfStakers } from '../../store/query/primary/rewards.ts'
import { validatorToJoin, type StoredStaker } from '../../store/query/primary/stakers.ts'
import { rewardKinds } from '../../store/schema/primary/position.ts'
import { delegationFees } from './delegation-fees.ts'
import type { ServedNetwork } from './network-directory.ts'
import { percentOf } from './numbers-view.ts'

/** Views of a page: two seeks for each row. */
export async function delegatorViews(
  network: ServedNetwork,
  rows: readonly StoredStaker[],
): Promise<Delegator[]> {
  const fees = await validatorFees(network, rows)
  const ended = rows.filter(({ status }) => status === 'completed')
  const paid = await paidToDelegators(
    network,
    ended.map(({ txId }) => txId),
  )
  return rows.map((row, at) => {
    const fee = itemAt(fees, at)
    return {
      txHash: toCb58(row.txId),
      nodeId: toNodeId(row.nodeId),
      rewardAddresses: (row.validationOwner?.addresses ?? []).map((one) =>
        toPrimaryAddress(network.hrp, one),
      ),
      amountDelegated: String(row.weight),
      delegationFee: percentOf(fee),
      startTimestamp: row.startTime,
      endTimestamp: row.endTime,
      ...rewardView(row, fee, paid.get(keyOf(row.txId)) ?? 0n),
    }
  })
}

function rewardView(
  row: StoredStaker,
  fee: number,
  paid: bigint,
): Pick<Delegator, 'delegationStatus'> & Partial<Delegator> {
  if (row.status !== 'active' && row.status !== 'pending') {
    const gross = row.rewarded === true ? row.potentialReward : 0n
    return {
      delegationStatus: 'completed',
      grossReward: String(gross),
      netReward: String(paid),
    }
  }
  // Upstream's Split: the delegator's part is rounded down. Source: vms/platformvm/reward.
  const net = (row.potentialReward * BigInt(1_000_000 - fee)) / 1_000_000n
  return {
    delegationStatus: row.status,
    estimatedGrossReward: String(row.potentialReward),
    estimatedNetReward: String(net),
  }
}

/**
 * Fee in millionths of the validator that each delegation is with. One that has not begun is with
 * the validator it will join, and has 0 where that one is not staked either.
 */
async function validatorFees(
  { store }: ServedNetwork,
  rows: readonly StoredStaker[],
): Promise<readonly number[]> {
  const feeOf = await delegationFees(
    store,
    rows.flatMap(({ validatorTxId }) => validatorTxId ?? []),
  )
  const fees: number[] = []
  for (const row of rows) {
    const { validatorTxId } = row
    const fee =
      validatorTxId === undefined
        ? (await validatorToJoin(store, row))?.delegationShares
        : feeOf(validatorTxId)
    fees.push(fee ?? 0)
  }
  return fees
}

/** Rewards paid to delegators themselves, by `keyOf` their transactions. */
async function paidToDelegators(
  { store }: ServedNetwork,
  txIds: readonly Uint8Array[],
): Promise<ReadonlyMap<string, bigint>> {
  const paid = new Map<string, bigint>()
  for (const { stakerTxId, kind, amount } of await rewardsOfStakers(store, txIds)) {
    if (rewardKinds[kind] === 'DELEGATOR')
      paid.set(keyOf(stakerTxId), (paid.get(keyOf(stakerTxId)) ?? 0n) + amount)
  }
  return paid
}
