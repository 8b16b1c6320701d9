/** Totals of a subnet's stakers by day. */

import { type Reader, statement } from '../../engine/database.ts'
import { type StakeDayBody, stakeDayBody } from '../../schema/primary-bodies.ts'
import { bytesValue } from '../stored-row.ts'

const question = statement('select day, body from stake_day where subnet_id = ? order by day')

/**
 * Totals after the last change of each day, by its first second, oldest first; days without a
 * change are missing. Cost: at most 365 rows a year.
 */
export async function stakeDays(
  reader: Reader,
  subnetId: Uint8Array,
): Promise<ReadonlyMap<number, StakeDayBody>> {
  const rows = await reader.all(question, [subnetId])
  return new Map(rows.map(([day, body]) => [Number(day), stakeDayBody.fromBytes(bytesValue(body))]))
}
