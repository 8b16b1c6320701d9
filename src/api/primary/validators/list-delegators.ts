/** Delegations of all subnets. Source: official clients, ListDelegatorDetailsResponse. */

import { keyOf } from '../../../core/bytes.ts'
import { toCb58, toNodeId } from '../../../core/cb58.ts'
import { assert } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import { Validators } from '../../../shape/operations/validators.ts'
import { delegationStatuses, type Delegator } from '../../../shape/primary/validator.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { rewardsOfStakers } from '../../../store/query/primary/rewards.ts'
import {
  listDelegators as delegatorRows,
  validatorToJoin,
  type StoredStaker,
  stakersByTx,
} from '../../../store/query/primary/stakers.ts'
import { rewardKinds } from '../../../store/schema/primary/position.ts'
import { type Operation } from '../../operation/operation.ts'
import { whoseOrAll } from '../lists.ts'
import { networkOperation } from '../network-operation.ts'
import type { PrimaryContext, ServedNetwork } from '../network/networks.ts'
import { stakeAssets } from '../views/asset.ts'
import { percentOf, ownerAddresses } from '../views/values.ts'

/** Delegations, newest first. */
export function listDelegators(context: PrimaryContext): Operation<'listDelegators'> {
  return networkOperation(context, Validators.listDelegators, async (network, input) => {
    const { query } = input
    const { rewardAddresses, nodeIds, delegationStatus } = query
    const whose = await whoseOrAll(context, network, { addresses: rewardAddresses, nodeIds })
    const page = await input.page({
      rows: (after, limit) =>
        delegatorRows(network.store, {
          ...whose,
          statuses: delegationStatus === undefined ? delegationStatuses : [delegationStatus],
          order: query.sortOrder ?? 'desc',
          after,
          limit,
        }),
      numberOf: ({ pos }) => pos,
    })
    return { ...page.next, delegators: await delegatorViews(network, page.rows) }
  })
}

/** Views of a page: two seeks for each row. */
async function delegatorViews(
  network: ServedNetwork,
  rows: readonly StoredStaker[],
): Promise<Delegator[]> {
  const fees = await validatorFees(network, rows)
  const ended = rows.filter(({ status }) => status === 'completed')
  // Rewards paid to delegators themselves, by `keyOf` their transactions.
  const txIds = ended.map(({ txId }) => txId)
  const paid = new Map<string, bigint>()
  for (const { stakerTxId, kind, amount } of await rewardsOfStakers(network.store, txIds)) {
    if (rewardKinds[kind] === 'DELEGATOR')
      paid.set(keyOf(stakerTxId), (paid.get(keyOf(stakerTxId)) ?? 0n) + amount)
  }
  const assetOf = await stakeAssets(network, rows)
  return rows.map((row, at) => {
    const fee = itemAt(fees, at)
    return {
      txHash: toCb58(row.txId),
      nodeId: toNodeId(row.nodeId),
      rewardAddresses: ownerAddresses(network.hrp, row.validationOwner),
      asset: assetOf(row),
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
    return { delegationStatus: 'completed', grossReward: String(gross), netReward: String(paid) }
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

/** Fee of a validator in millionths of a reward. Throws for one that was not requested. */
type FeeOf = (validatorTxId: Uint8Array) => number

/**
 * Reads the fees of validators that have delegators. Each of them is stored, with its fee: a
 * delegation without one breaks the rules of the P-Chain. Nothing is taken for 0 here, because a
 * reward would be shown too high.
 */
export async function delegationFees(
  store: Reader,
  validatorTxIds: readonly Uint8Array[],
): Promise<FeeOf> {
  const distinct = new Map(validatorTxIds.map((txId) => [keyOf(txId), txId]))
  const validators = await stakersByTx(store, [...distinct.values()])
  const fees = new Map(validators.map((row) => [keyOf(row.txId), row.delegationShares]))
  return (validatorTxId) => {
    const fee = fees.get(keyOf(validatorTxId))
    assert(fee !== undefined, 'whom coins are delegated to is stored and has a fee')
    return fee
  }
}
