/** Weight of all active stakers of subnets. */

import { keyOf } from '../../../core/bytes.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { stakerBody } from '../../schema/primary-bodies.ts'
import { bytesValue } from '../stored-row.ts'

const question = statement('select subnet_id, body from staker where role in (0, 1) and status = 1')

/**
 * Sum of weights of active validators and delegators by `keyOf` the subnet. Reads every active
 * staker: some ten thousand rows on mainnet, so callers keep the answer for a while.
 */
export async function totalWeights(reader: Reader): Promise<ReadonlyMap<string, bigint>> {
  const sums = new Map<string, bigint>()
  for (const [subnetId, body] of await reader.all(question)) {
    const key = keyOf(bytesValue(subnetId))
    sums.set(key, (sums.get(key) ?? 0n) + stakerBody.fromBytes(bytesValue(body)).weight)
  }
  return sums
}
