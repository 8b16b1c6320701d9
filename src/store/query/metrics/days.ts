/**
 * Days with blocks. Each question reads only the columns that a series shows: the wide sums in
 * bytes cost more to read than all of the numbers.
 *
 * Answers are by first second of the day, oldest first. Cost of each: 365 rows a year.
 */

import { statement, type Reader, type Row, type Statement } from '../../engine/database.ts'
import { metaText } from '../../meta.ts'
import { dayAmounts, dayCounts, periodCounts, rollupState } from '../../schema/metrics.ts'
import { byField } from '../../schema/table.ts'
import { bytesAt, integerAt } from '../row-values.ts'
import { bytes, integer, type RowOf, storedRow } from '../stored-row.ts'

/** Values by first second of the day, oldest first. */
export type ByDay<T> = ReadonlyMap<number, T>

/** An amount of a day, and the time of the day's last block. */
export type DaySpan = { readonly amount: number; readonly lastMs: number }

/** The most that happened in one block of a day, and how long the block took: 0 if unknown. */
export type FastestBlock = { readonly amount: number; readonly milliseconds: number }

/** Sum of the gas prices of all transactions of a day in wei, big-endian, and their number. */
export type DayPrices = { readonly sum: Uint8Array; readonly count: number }

/** A period with what was counted in it; `unit` is a value of `units` in `rollup/period.ts`. */
export const periodRow = storedRow({
  unit: integer('unit'),
  start: integer('start'),
  ...byField(periodCounts, integer),
})

/** A day with all that only days have. Amounts are big-endian. */
export const dayRow = storedRow({
  start: integer('start'),
  lastMs: integer('last_ms'),
  ...byField(dayAmounts, bytes),
  ...byField(dayCounts, integer),
})

const ofDays = (columns: string): Statement =>
  statement(`select start, ${columns} from rollup_day order by start`)
const withRollup = (columns: string): Statement =>
  statement(
    `select d.start, ${columns} from rollup_day d
     join rollup r on r.unit = 1 and r.start = d.start order by d.start`,
  )
const dayUnits = (column: string): Statement =>
  statement(`select start, ${column} from rollup where unit = 1 order by start`)

const counts = { ...byField(dayCounts, ofDays), ...byField(periodCounts, dayUnits) }
const spans = byField(periodCounts, (column) => withRollup(`r.${column}, d.last_ms`))
const fastest = {
  topTx: ofDays(`${dayCounts.topTx}, ${dayCounts.topTxMs}`),
  topGas: ofDays(`${dayCounts.topGas}, ${dayCounts.topGasMs}`),
}
const amounts = byField(dayAmounts, ofDays)
const prices = withRollup(`d.${dayAmounts.priceSum}, r.${periodCounts.txCount}`)
const newest = statement('select last_ms from rollup_day order by start desc limit 1')

/** A count of every day. */
export function daySums(reader: Reader, count: keyof typeof counts): Promise<ByDay<number>> {
  return byDay(reader, counts[count], (row) => integerAt(row, 1))
}

/** An amount of every day with the time of its last block. */
export function daySpans(
  reader: Reader,
  count: keyof typeof periodCounts,
): Promise<ByDay<DaySpan>> {
  return byDay(reader, spans[count], (row) => ({
    amount: integerAt(row, 1),
    lastMs: integerAt(row, 2),
  }))
}

/** The fastest block of every day, by transactions or by gas. */
export function dayFastest(
  reader: Reader,
  column: 'topTx' | 'topGas',
): Promise<ByDay<FastestBlock>> {
  return byDay(reader, fastest[column], (row) => ({
    amount: integerAt(row, 1),
    milliseconds: integerAt(row, 2),
  }))
}

/** An amount of every day, wei, big-endian. */
export function dayWei(
  reader: Reader,
  amount: keyof typeof dayAmounts,
): Promise<ByDay<Uint8Array>> {
  return byDay(reader, amounts[amount], (row) => bytesAt(row, 1))
}

/** Gas prices of every day. */
export function dayPrices(reader: Reader): Promise<ByDay<DayPrices>> {
  return byDay(reader, prices, (row) => ({ sum: bytesAt(row, 1), count: integerAt(row, 2) }))
}

/** Time of the newest block in milliseconds, 0 before there is one. Cost: one key seek. */
export async function newestBlockMs(reader: Reader): Promise<number> {
  const row = await reader.get(newest)
  return row === undefined ? 0 : integerAt(row, 0)
}

/** Time of the chain's first block in milliseconds, or `undefined` before there is one. */
export async function firstBlockMs(reader: Reader): Promise<number | undefined> {
  const value = await metaText(reader, rollupState)
  if (value === undefined) return undefined
  const parsed: unknown = JSON.parse(value)
  const isState = typeof parsed === 'object' && parsed !== null && 'firstMs' in parsed
  return isState && typeof parsed.firstMs === 'number' && parsed.firstMs >= 0
    ? parsed.firstMs
    : undefined
}

async function byDay<T>(
  reader: Reader,
  question: Statement,
  read: (row: Row) => T,
): Promise<ByDay<T>> {
  const values = new Map<number, T>()
  for (const row of await reader.all(question)) values.set(integerAt(row, 0), read(row))
  return values
}

/** One period: its first second, and what was counted in it. */
export type UnitPeriod = RowOf<typeof periodRow>

const inRange = periodRow.statement(
  (columns) =>
    `select ${columns} from rollup where unit = ? and start >= ? and start < ? order by start`,
)
const ends = statement('select min(start), max(start) from rollup where unit = ?')

/**
 * Periods of `unit` with `from <= start < until`, oldest first; periods without blocks are left
 * out.
 *
 * Cost: one range of the key (unit, start).
 */
export function unitPeriods(
  reader: Reader,
  unit: number,
  range: { readonly from: number; readonly until: number },
): Promise<UnitPeriod[]> {
  return periodRow.all(reader, inRange, [unit, range.from, range.until])
}

/** First and last period of `unit`, or `undefined` before there is one. Two key seeks. */
export async function unitBounds(
  reader: Reader,
  unit: number,
): Promise<{ first: number; last: number } | undefined> {
  const [first, last] = (await reader.get(ends, [unit])) ?? []
  return typeof first === 'number' && typeof last === 'number' ? { first, last } : undefined
}
