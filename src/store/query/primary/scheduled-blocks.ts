/** Blocks with what is known of their proposers, in order, as the schedule reads them. */

import { type Reader } from '../../engine/database.ts'
import { flag, integer, maybe, type RowOf, storedRow } from '../stored-row.ts'

const outerRow = storedRow({
  id: integer('id'),
  /** Wire type id, of its chain. */
  type: integer('type'),
  txCount: integer('tx_count'),
  /** Time of the inner block, Unix seconds. */
  timestamp: integer('timestamp'),
  isKnown: flag('case when outer_id is null then 0 else 1 end'),
  /** Number of a node; absent for options and unsigned blocks. */
  proposer: maybe(integer('proposer')),
  /** Absent for options, as is the time. */
  pChainHeight: maybe(integer('proposer_height')),
  /** Unix seconds of the outer block. */
  time: maybe(integer('proposer_time')),
})
/** A block, and its outer block. */
export type OuterBlockRow = RowOf<typeof outerRow>

const following = outerRow.statement(
  (columns) => `select ${columns} from primary_block where id >= ? and id < ? order by id limit ?`,
)
const preceding = outerRow.statement(
  (columns) =>
    `select ${columns} from primary_block where id >= ? and id < ? order by id desc limit ?`,
)

/** Ids from inclusive, until exclusive. */
type Ids = { readonly from: number; readonly until: number; readonly limit: number }

/** The first blocks of a range, oldest first. One range of the key. */
export function firstOuterBlocks(
  reader: Reader,
  { from, until, limit }: Ids,
): Promise<OuterBlockRow[]> {
  return outerRow.all(reader, following, [from, until, limit])
}

/** The last blocks of a range, oldest first. One range of the key. */
export async function lastOuterBlocks(
  reader: Reader,
  { from, until, limit }: Ids,
): Promise<OuterBlockRow[]> {
  return (await outerRow.all(reader, preceding, [from, until, limit])).toReversed()
}
