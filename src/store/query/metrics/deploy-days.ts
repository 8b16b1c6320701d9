import { statement, type Reader } from '../../engine/database.ts'

/** Contracts of a day. `members` are the deployers, in the form of `rollup/member-list.ts`. */
export type DeployDay = {
  readonly start: number
  readonly contracts: number
  readonly deployers: number
  readonly newDeployers: number
  readonly members: Uint8Array
}

const ofSource = statement(
  'select start, contracts, deployers, new_deployers, members from rollup_deploys where source = ? and start >= ? order by start',
)

/**
 * Days from `since` on which contracts were created, oldest first. `source`: 0 receipts, 1 traces.
 *
 * Cost: one range of the key (source, start).
 */
export async function deployDays(reader: Reader, source: 0 | 1, since = 0): Promise<DeployDay[]> {
  const rows = await reader.all(ofSource, [source, since])
  return rows.map(([start, contracts, deployers, newDeployers, members]) => ({
    start,
    contracts,
    deployers,
    newDeployers,
    members,
  }))
}

/** Addresses active in an hour, in the form of `rollup/member-list.ts`. */
type ActivityHour = { readonly start: number; readonly members: Uint8Array }

const inRange = statement(
  'select start, members from activity_hour where start >= ? and start < ? order by start',
)

/** Hours with `from <= start < until`, oldest first. Cost: one range of the key. */
export async function activityHours(
  reader: Reader,
  range: { readonly from: number; readonly until: number },
): Promise<ActivityHour[]> {
  const rows = await reader.all(inRange, [range.from, range.until])
  return rows.map(([start, members]) => ({ start, members }))
}
