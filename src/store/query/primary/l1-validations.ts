/** Validations of L1s that were not removed. */

import type { Reader } from '../../engine/database.ts'
import { l1ValidatorBody } from '../../schema/primary-bodies.ts'
import { body, bytes, integer, type RowOf, storedRow } from '../stored-row.ts'

/** A validation `l` of the node `n`. */
const validationRow = storedRow({
  /** Grows with creation. */
  id: integer('l.id'),
  validationId: bytes('l.validation_id'),
  subnetId: bytes('l.subnet_id'),
  nodeId: bytes('n.bytes'),
  validation: body('l.body', l1ValidatorBody),
})

/** One validation. `balanceEnd` is what must have accrued for its balance to be used up; 0: inactive. */
export type L1Validation = Omit<RowOf<typeof validationRow>, 'validation'> & {
  readonly weight: bigint
  readonly balanceEnd: bigint
}

const everyValidation = validationRow.statement(
  (columns) => `select ${columns}
   from l1_validator l join node n on n.id = l.node where l.removed_height is null`,
)

/** Every validation of the network: some thousands on mainnet, so callers keep the answer. */
export async function l1Validations(reader: Reader): Promise<readonly L1Validation[]> {
  const rows = await reader.all(everyValidation)
  return rows.map((row) => {
    const { validation, ...rest } = validationRow.read(row)
    return { ...rest, weight: validation.weight, balanceEnd: validation.endAccumulatedFee }
  })
}
