/** Reads what answers about validators need, for a page at a time. */

import { struct } from '../../codec/kit.ts'
import { f64, i64 } from '../../codec/primitives.ts'
import { keyOf } from '../../core/bytes.ts'
import type { Validator } from '../../shape/primary/validator.ts'
import type { Database } from '../../store/engine/database.ts'
import { rewardsOfStakers } from '../../store/query/primary/rewards.ts'
import type { StoredStaker } from '../../store/query/primary/stakers.ts'
import { delegationFeesPaid, type ValidatorCursor } from '../../store/query/primary/validators.ts'
import { rewardKinds } from '../../store/schema/primary/position.ts'
import { cursorOf } from '../operation/paging.ts'
import type { ServedNetwork } from './network-directory.ts'
import { type PaidRewards, validatorView } from './validator-view.ts'

/** Reads the total weight of every subnet by `keyOf` its id: `keptFor` of `totalWeights`. */
export type WeightsOf = (store: Database) => Promise<ReadonlyMap<string, bigint>>

/** Where a page of validators ended. */
export const validatorCursor = cursorOf<ValidatorCursor>(struct({ key: i64, pos: f64 }))

/** Validators as answers show them. */
export async function validatorViews(
  network: ServedNetwork,
  weightsOf: WeightsOf,
  rows: readonly StoredStaker[],
): Promise<Validator[]> {
  const active = rows.some(({ status }) => status === 'active')
  const weights = active ? await weightsOf(network.store) : new Map<string, bigint>()
  const completed = rows.filter(({ status }) => status === 'completed').map(({ txId }) => txId)
  const paid = await paidRewards(network, completed)
  return rows.map((row) =>
    validatorView(network, row, {
      paid: paid.get(keyOf(row.txId)) ?? { validation: 0n, delegation: 0n },
      totalWeight: weights.get(keyOf(row.subnetId)) ?? 0n,
    }),
  )
}

/** Rewards paid to validators, by `keyOf` their transactions. */
async function paidRewards(
  network: ServedNetwork,
  txIds: readonly Uint8Array[],
): Promise<ReadonlyMap<string, PaidRewards>> {
  const sums = new Map<string, { validation: bigint; delegation: bigint }>()
  const sumOf = (txId: Uint8Array): { validation: bigint; delegation: bigint } => {
    const sum = sums.get(keyOf(txId)) ?? { validation: 0n, delegation: 0n }
    sums.set(keyOf(txId), sum)
    return sum
  }
  for (const { stakerTxId, kind, amount } of await rewardsOfStakers(network.store, txIds)) {
    const sum = sumOf(stakerTxId)
    if (rewardKinds[kind] === 'VALIDATOR') sum.validation += amount
    else if (rewardKinds[kind] === 'VALIDATOR_FEE') sum.delegation += amount
  }
  // Before Cortina fees were paid with each delegation, under the delegator's transaction.
  for (const { validatorTxId, amount } of await delegationFeesPaid(network.store, txIds)) {
    sumOf(validatorTxId).delegation += amount
  }
  return sums
}
