import { statement, type Reader } from '../../engine/database.ts'

/** Addresses active in an hour, in the form of `rollup/member-list.ts`. */
export type ActivityHour = { readonly start: number; readonly members: Uint8Array }

const inRange = statement(
  'select start, members from activity_hour where start >= ? and start < ? order by start',
)

/** Hours with `from <= start < until`, oldest first. Cost: one range of the key. */
export async function activityHours(
  reader: Reader,
  range: { readonly from: number; readonly until: number },
): Promise<ActivityHour[]> {
  const rows = await reader.all(inRange, [range.from, range.until])
  return rows.map(([start, members]) => ({
    start: Number(start),
    members: members instanceof Uint8Array ? members : new Uint8Array(0),
  }))
}
