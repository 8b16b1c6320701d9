/** Delegations as answers show them. */

import { toPrimaryAddress } from '../../core/address.ts'
import { keyOf } from '../../core/bytes.ts'
import { toCb58, toNodeId } from '../../core/cb58.ts'
import type { Delegator } from '../../shape/primary/delegator.ts'
import { validatorToJoin } from '../../store/query/primary/delegators.ts'
import { rewardsOfStakers } from '../../store/query/primary/rewards.ts'
import { stakersByTx, type StoredStaker } from '../../store/query/primary/staker-rows.ts'
import { rewardKinds } from '../../store/schema/primary-position.ts'
import type { ServedNetwork } from './network-directory.ts'
import { percentOf } from './numbers-view.ts'

/** Views of a page: two seeks for each row. */
export async function delegatorViews(
  network: ServedNetwork,
  rows: readonly StoredStaker[],
): Promise<Delegator[]> {
  const shares = await validatorShares(network, rows)
  const ended = rows.filter(({ status }) => status === 'completed')
  const paid = await paidToDelegators(
    network,
    ended.map(({ txId }) => txId),
  )
  return rows.map((row) => {
    const fee = shares.get(keyOf(row.txId)) ?? 0
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

/** Fee in millionths of the validator each delegation is with, by `keyOf` its transaction. */
async function validatorShares(
  { store }: ServedNetwork,
  rows: readonly StoredStaker[],
): Promise<ReadonlyMap<string, number>> {
  const joined = new Map(rows.flatMap(({ validatorTxId }) => entryOf(validatorTxId)))
  const validators = await stakersByTx(store, [...joined.values()])
  const known = new Map(validators.map((row) => [keyOf(row.txId), row.delegationShares ?? 0]))
  const shares = new Map<string, number>()
  for (const row of rows) {
    const { validatorTxId } = row
    const joining = validatorTxId === undefined ? await validatorToJoin(store, row) : undefined
    const fee =
      validatorTxId === undefined ? joining?.delegationShares : known.get(keyOf(validatorTxId))
    shares.set(keyOf(row.txId), fee ?? 0)
  }
  return shares
}

function entryOf(txId: Uint8Array | undefined): [string, Uint8Array][] {
  return txId === undefined ? [] : [[keyOf(txId), txId]]
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
