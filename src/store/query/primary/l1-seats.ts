/** Seats of L1s: validations that were not removed. */

import { type Reader, statement } from '../../engine/database.ts'
import { l1ValidatorBody } from '../../schema/primary-bodies.ts'
import { bytes } from './utxo-rows.ts'

/** One seat. `balanceEnd` is what must have accrued for its balance to be used up; 0: inactive. */
export type L1Seat = {
  /** Grows with creation. */
  readonly id: number
  readonly validationId: Uint8Array
  readonly subnetId: Uint8Array
  readonly nodeId: Uint8Array
  readonly weight: bigint
  readonly balanceEnd: bigint
}

const everySeat = statement(
  `select l.id, l.validation_id, l.subnet_id, n.bytes, l.body
   from l1_validator l join node n on n.id = l.node where l.removed_height is null`,
)

/** Every seat of the network: some thousands on mainnet, so callers keep the answer. */
export async function l1Seats(reader: Reader): Promise<readonly L1Seat[]> {
  const rows = await reader.all(everySeat)
  return rows.map(([id, validationId, subnetId, nodeId, body]) => {
    const { weight, endAccumulatedFee } = l1ValidatorBody.fromBytes(bytes(body))
    return {
      id: Number(id),
      validationId: bytes(validationId),
      subnetId: bytes(subnetId),
      nodeId: bytes(nodeId),
      weight,
      balanceEnd: endAccumulatedFee,
    }
  })
}
