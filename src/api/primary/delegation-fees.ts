/** Fees that validators take of the rewards of their delegators. */

import { keyOf } from '../../core/bytes.ts'
import { assert } from '../../core/fault.ts'
import type { Reader } from '../../store/engine/database.ts'
import { stakersByTx } from '../../store/query/primary/stakers.ts'

/** Fee of a validator in millionths of a reward. Throws for one that was not asked for. */
export type FeeOf = (validatorTxId: Uint8Array) => number

/**
 * Reads the fees of validators that have delegators. Each of them is stored, with its fee: a
 * delegation without one breaks the rules of the P-Chain. Nothing is taken for 0 here, because a
 * reward would be told too high.
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
