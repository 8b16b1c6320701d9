/** Seats of L1s: validations that were not removed. */

import type { Reader } from '../../engine/database.ts'
import { l1ValidatorBody } from '../../schema/primary-bodies.ts'
import { body, bytes, integer, type RowOf, storedRow } from '../stored-row.ts'

/** A validation `l` of the node `n`. */
const seatRow = storedRow({
  /** Grows with creation. */
  id: integer('l.id'),
  validationId: bytes('l.validation_id'),
  subnetId: bytes('l.subnet_id'),
  nodeId: bytes('n.bytes'),
  validation: body('l.body', l1ValidatorBody),
})

/** One seat. `balanceEnd` is what must have accrued for its balance to be used up; 0: inactive. */
export type L1Seat = Omit<RowOf<typeof seatRow>, 'validation'> & {
  readonly weight: bigint
  readonly balanceEnd: bigint
}

const everySeat = seatRow.statement(
  (columns) => `select ${columns}
   from l1_validator l join node n on n.id = l.node where l.removed_height is null`,
)

/** Every seat of the network: some thousands on mainnet, so callers keep the answer. */
export async function l1Seats(reader: Reader): Promise<readonly L1Seat[]> {
  const rows = await reader.all(everySeat)
  return rows.map((row) => {
    const { validation, ...seat } = seatRow.read(row)
    return { ...seat, weight: validation.weight, balanceEnd: validation.endAccumulatedFee }
  })
}
