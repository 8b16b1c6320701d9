/** Days with transactions and gas by address: how far they are counted, and their lists. */

import { type Reader, statement } from '../../engine/database.ts'

/** Who is counted: senders of transactions, or whom these called. */
export type ActivityList = 'senders' | 'callees'

/** The last block counted. */
export type CountedBlock = {
  /** First second of its day. */
  readonly start: number
  readonly height: number
  readonly hash: Uint8Array
}

const counted = statement('select start, height, hash from activity_day order by start desc')
const newest = statement('select start, height, hash from activity_day order by start desc limit 1')
const lists = statement('select senders, callees from activity_day where start = ?')
const starts = statement(
  'select start from activity_day where start >= ? and start < ? order by start',
)

/** How far counting is; `undefined` before it began. Cost: one key seek. */
export async function newestActivity(store: Reader): Promise<CountedBlock | undefined> {
  const row = await store.get(newest)
  return row === undefined ? undefined : { start: row[0], height: row[1], hash: row[2] }
}

/** The last block of each day, newest first. Cost: all days are read, but for their lists. */
export async function countedBlocks(store: Reader): Promise<CountedBlock[]> {
  const rows = await store.all(counted)
  return rows.map(([start, height, hash]) => ({ start, height, hash }))
}

/** Both lists of the day that starts at `start`, empty where nothing is counted. Cost: one key seek. */
export async function activityLists(
  store: Reader,
  start: number,
): Promise<Readonly<Record<ActivityList, Uint8Array>>> {
  const row = await store.get(lists, [start])
  return { senders: row?.[0] ?? new Uint8Array(), callees: row?.[1] ?? new Uint8Array() }
}

/** Days from `from` until before `until`, oldest first. Cost: one key seek a day. */
export async function activityStarts(
  store: Reader,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<number[]> {
  return (await store.all(starts, [from, until])).map(([start]) => start)
}
