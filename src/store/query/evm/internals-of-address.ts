/** Internal transactions of an address. */

import type { Reader, Statement } from '../../engine/database.ts'
import { type InternalRow, internalsOf, internalStatement } from './internal-row.ts'
import { type Direction, overOf, type PosRange } from './position.ts'

const question = (direction: Direction): Statement =>
  internalStatement(
    (columns) => `select ${columns}
   from internal_by_address a
   join internal i on i.pos = a.pos
   where a.address_id = ? and a.pos >= ? and a.pos < ?
   order by a.pos ${direction} limit ?`,
    { over: overOf[direction], within: { pos: [1, 2] }, stage: 'traces' },
  )
const questions = { desc: question('desc'), asc: question('asc') }

/**
 * Listed call frames to or from an address inside `range`, newest first, or in `direction`, each once.
 *
 * Cost: one range scan of `internal_by_address`, and three look-ups by key per row.
 */
export async function internalsOfAddress(
  store: Reader,
  query: {
    readonly addressId: number
    readonly range: PosRange
    readonly limit: number
    readonly direction?: Direction
  },
): Promise<InternalRow[]> {
  const { addressId, range, limit, direction = 'desc' } = query
  const rows = await store.all(questions[direction], [addressId, range.from, range.until, limit])
  return internalsOf(store, rows)
}
