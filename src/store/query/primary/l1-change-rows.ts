/** What transactions did to L1 validations. */

import { type Reader, statement } from '../../engine/database.ts'
import { l1ChangeBody, type L1ChangeBody, l1ValidatorBody } from '../../schema/primary-bodies.ts'
import { bytes } from './utxo-rows.ts'

/** A change with the validation it is about. */
export type StoredL1Change = L1ChangeBody & {
  readonly pos: number
  readonly validationId: Uint8Array
  readonly subnetId: Uint8Array
  readonly nodeId: Uint8Array
  readonly publicKey: Uint8Array
}

const columns = 'c.pos, l.validation_id, l.subnet_id, n.bytes, l.body, c.body'

const atPlaces = statement(
  `select ${columns} from json_each(?) j cross join l1_change c indexed by l1_change_by_pos
   join l1_validator l on l.id = c.l1_id join node n on n.id = l.node
   where c.pos = j.value and c.pos >= 0 order by c.pos, c.l1_id`,
  {
    postgres: `select ${columns} from json_array_elements_text(?::json) j
      join l1_change c on c.pos = j.value::bigint and c.pos >= 0
      join l1_validator l on l.id = c.l1_id join node n on n.id = l.node
      order by c.pos, c.l1_id`,
  },
)

/** Changes by the transactions at `places`. One seek of `l1_change_by_pos` each. */
export async function l1ChangesAt(
  reader: Reader,
  places: readonly number[],
): Promise<StoredL1Change[]> {
  if (places.length === 0) return []
  const rows = await reader.all(atPlaces, [JSON.stringify(places)])
  return rows.map((row) => ({
    ...l1ChangeBody.fromBytes(bytes(row[5])),
    pos: Number(row[0]),
    validationId: bytes(row[1]),
    subnetId: bytes(row[2]),
    nodeId: bytes(row[3]),
    publicKey: l1ValidatorBody.fromBytes(bytes(row[4])).publicKey,
  }))
}
