/** Gas used within a block. */

import { type Reader, statement } from '../../engine/database.ts'
import { integerAt } from '../row-values.ts'
import { heightOf, posOfHeight } from './position.ts'

const question = statement(
  'select coalesce(sum(gas_used), 0) from tx where pos >= ? and pos <= ?',
  {
    postgres: 'select coalesce(sum(gas_used), 0)::bigint from tx where pos >= ? and pos <= ?',
    over: 'sum',
    within: { pos: [0, 1] },
  },
)

/** Gas that the block's transactions up to the one at `pos` used. Cost: a scan of these. */
export async function gasUntil(store: Reader, pos: number): Promise<number> {
  const row = await store.get(question, [posOfHeight(heightOf(pos)), pos])
  return row === undefined ? 0 : integerAt(row, 0)
}
