/** Changes that transactions made to L1 validations. */

import type { Reader } from '../../engine/database.ts'
import { l1ChangeBody, l1ValidatorBody } from '../../schema/primary-bodies.ts'
import { body, bytes, integer, mapped, type RowOf, storedRow } from '../stored-row.ts'

/** A change `c` with the validation `l` it is about, and its node `n`. */
const changeRow = storedRow(
  {
    pos: integer('c.pos'),
    validationId: bytes('l.validation_id'),
    subnetId: bytes('l.subnet_id'),
    nodeId: bytes('n.bytes'),
    publicKey: mapped(body('l.body', l1ValidatorBody), ({ publicKey }) => publicKey),
  },
  body('c.body', l1ChangeBody),
)
/** One such change. */
export type StoredL1Change = RowOf<typeof changeRow>

const atPlaces = changeRow.statement(
  (columns) => `select ${columns} from json_each(?) j
   cross join l1_change c indexed by l1_change_by_pos
   join l1_validator l on l.id = c.l1_id join node n on n.id = l.node
   where c.pos = j.value and c.pos >= 0 order by c.pos, c.l1_id`,
  {
    postgres: (columns) => `select ${columns} from json_array_elements_text(?::json) j
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
  return rows.map(changeRow.read)
}
