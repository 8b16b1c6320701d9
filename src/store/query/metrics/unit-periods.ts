import { statement, type Reader, type Row } from '../../engine/database.ts'

/** One period: its first second, and what was counted in it. */
export type UnitPeriod = {
  readonly start: number
  readonly txCount: number
  readonly gasUsed: number
  readonly activeAddresses: number
  readonly activeSenders: number
}

const inRange = statement(
  'select start, tx_count, gas_used, active_addresses, active_senders from rollup where unit = ? and start >= ? and start < ? order by start',
)
const ends = statement('select min(start), max(start) from rollup where unit = ?')

/**
 * Periods of `unit` with `from <= start < until`, oldest first; periods without blocks are left
 * out.
 *
 * Cost: one range of the key (unit, start).
 */
export async function unitPeriods(
  reader: Reader,
  unit: number,
  range: { readonly from: number; readonly until: number },
): Promise<UnitPeriod[]> {
  return (await reader.all(inRange, [unit, range.from, range.until])).map(periodOf)
}

/** First and last period of `unit`, or `undefined` before there is one. Two key seeks. */
export async function unitBounds(
  reader: Reader,
  unit: number,
): Promise<{ first: number; last: number } | undefined> {
  const [first, last] = (await reader.get(ends, [unit])) ?? []
  return typeof first === 'number' && typeof last === 'number' ? { first, last } : undefined
}

function periodOf(row: Row): UnitPeriod {
  const [start = 0, txCount = 0, gasUsed = 0, activeAddresses = 0, activeSenders = 0] =
    row.map(Number)
  return { start, txCount, gasUsed, activeAddresses, activeSenders }
}
