/** Fees validators were paid with single delegations, under the delegators' transactions. */

import { type Reader, statement } from '../../engine/database.ts'
import { rewardBody } from '../../schema/primary-bodies.ts'
import { rewardKinds } from '../../schema/primary-position.ts'
import { bytesValue } from '../stored-row.ts'

const question = statement(
  `select d.validator_tx, r.body from json_each(?) j
   cross join staker d indexed by staker_by_validator
   join reward r on r.staker_tx = d.tx_id
   where d.validator_tx = unhex(j.value) and d.validator_tx is not null`,
  {
    postgres: `select d.validator_tx, r.body from json_array_elements_text(?::json) j
      join staker d on d.validator_tx = decode(j.value, 'hex')
      join reward r on r.staker_tx = d.tx_id`,
  },
)

/** Such fees of validations; one range of `staker_by_validator` each, one seek per delegation. */
export async function delegationFeesPaid(
  reader: Reader,
  validatorTxIds: readonly Uint8Array[],
): Promise<{ readonly validatorTxId: Uint8Array; readonly amount: bigint }[]> {
  if (validatorTxIds.length === 0) return []
  const texts = validatorTxIds.map((id) => Buffer.from(id).toString('hex'))
  const rows = await reader.all(question, [JSON.stringify(texts)])
  return rows.flatMap(([validatorTx, body]) => {
    const { kind, amount } = rewardBody.fromBytes(bytesValue(body))
    if (rewardKinds[kind] !== 'VALIDATOR_FEE') return []
    return [{ validatorTxId: bytesValue(validatorTx), amount }]
  })
}
