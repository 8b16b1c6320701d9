/** Validations of a subnet that overlap a range of time, by place. */

import type { Reader } from '../../engine/database.ts'
import { mergeLists } from './merged-lists.ts'
import { stakerRow, type StoredStaker } from './staker-rows.ts'

const allStatuses = [0, 1, 2, 3]

const question = stakerRow.statement(
  (columns) => `select ${columns} from staker s join node n on n.id = s.node
   where s.role = 0 and s.status = ? and s.subnet_id = ? and s.pos < ?
   order by s.pos desc limit ?`,
)

/** Conditions of validations, newest first. Times in Unix seconds. */
export type BetweenQuery = {
  readonly subnetId: Uint8Array
  readonly start: number
  readonly end: number
  readonly before: number | undefined
  readonly limit: number
}

/** One range of `staker_by_status` per state; other subnets and times are passed over. */
export function validationsBetween(reader: Reader, query: BetweenQuery): Promise<StoredStaker[]> {
  const { subnetId, start, end, limit } = query
  return mergeLists<number, StoredStaker>({
    lists: allStatuses,
    limit,
    compare: (a, b) => b.pos - a.pos,
    accepts: ({ startTime, endTime, endedTime }) =>
      startTime < end && (endedTime ?? endTime) > start,
    read: async (status, after, most) => {
      const from = after?.pos ?? query.before ?? Number.MAX_SAFE_INTEGER
      return (await reader.all(question, [status, subnetId, from, most])).map(stakerRow.read)
    },
  })
}
