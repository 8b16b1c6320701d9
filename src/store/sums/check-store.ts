/**
 * Reads a store and compares what its ranges add up to with their stored sums.
 *
 * A table whose rows lie by ranges is read some ranges at a time, the newest first, each time as the store is
 * then, so that writers are not disturbed and do not disturb; another one is read whole. In memory are the sums
 * of what is read at once.
 */

import { Fault, faultOf } from '../../core/fault.ts'
import { type Database, type Reader, statement } from '../engine/database.ts'
import type { Table } from '../schema/table.ts'
import { eachPage, isDamage, type Pages } from './pages.ts'
import { areEqual, RangeSums, type RangeSum, summedColumns } from './range-sums.ts'

/** A range whose rows do not add up to its sum. */
export type DamagedRange = {
  readonly table: Table
  /** Number of the range. */
  readonly part: number
  /** Values of the table's column of ranges, half-open; `undefined` for a table of one range. */
  readonly range:
    | { readonly column: string; readonly from: number; readonly until: number }
    | undefined
  /** The sum that was written; `undefined` when no sum is stored. */
  readonly written: RangeSum | undefined
  /** The sum that was read; `undefined` when rows cannot be read. */
  readonly found: RangeSum | undefined
}

/** Ways to follow a check, to slow it down and to bound it. */
type Checking = {
  /** Ends it, with its reason. */
  readonly signal?: AbortSignal
  /** Hears how many rows of a table were read. */
  readonly progress?: (table: string, rows: number) => void
  /** Awaited after some thousand rows; what it throws ends the work. */
  readonly pause?: () => Promise<unknown>
  /**
   * A table that is not in the order of its ranges is left out beyond so many rows: a reading that goes on for
   * long keeps the log of a writer from being emptied.
   */
  readonly mostRowsWhole?: number
}

const countsOfTable = statement('select part, row_count from range_sum where tab = ?')
const sumsBetween = statement(
  'select part, row_count, row_sum from range_sum where tab = ? and part >= ? and part < ?',
)

/**
 * Damaged ranges of `tables`, which are those of the store. Throws `store-failed` when not even the
 * stored sums can be read.
 */
export async function checkStore(
  database: Database,
  tables: readonly Table[],
  { signal, progress, pause, mostRowsWhole = Number.POSITIVE_INFINITY }: Checking,
): Promise<DamagedRange[]> {
  const damaged: DamagedRange[] = []
  for (const table of tables) {
    if (table.sums === undefined) continue
    signal?.throwIfAborted()
    const counts = (await database.all(countsOfTable, [table.name])).map(
      ([part, rows]): [number, number] => [part, rows],
    )
    const isOrdered = isOrderedByRange(table)
    if (!isOrdered && counts.reduce((sum, [, rows]) => sum + rows, 0) > mostRowsWhole) continue
    let read = 0
    const report = (rows: number): unknown => {
      signal?.throwIfAborted()
      progress?.(table.name, (read += rows))
      return isOrdered ? undefined : pause?.()
    }
    const found: DamagedRange[] = []
    for (const piece of isOrdered ? piecesOf(counts) : [allRanges]) {
      found.push(...(await database.snapshot((reader) => checkPiece(reader, table, piece, report))))
      if (isOrdered) await pause?.()
    }
    damaged.push(...found.toSorted((a, b) => a.part - b.part))
  }
  return damaged
}

/** Ranges of a table by number, half-open. */
type Ranges = { readonly from: number; readonly until: number }

const allRanges: Ranges = { from: Number.MIN_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER }
/** Rows of the ranges that are read at once, at least. */
const rowsAtOnce = 4_000

/** All ranges, the newest first, as many together as are read at once. What has no sum lies in one, too. */
function piecesOf(counts: readonly (readonly [part: number, rows: number])[]): Ranges[] {
  const pieces: Ranges[] = []
  let { until } = allRanges
  let gathered = 0
  for (const [part, rows] of counts.toSorted(([a], [b]) => b - a)) {
    gathered += Math.max(1, rows)
    if (gathered < rowsAtOnce) continue
    pieces.push({ from: part, until })
    until = part
    gathered = 0
  }
  return [...pieces, { from: allRanges.from, until }]
}

const integrity = statement('pragma integrity_check(100)')

/**
 * Result of the engine's check of the file: pages, order of keys, indexes against their
 * tables. Empty when all is well, and on PostgreSQL, which has no such check.
 */
export async function checkStructure(database: Database): Promise<string[]> {
  if (database.engine === 'postgres') return []
  try {
    const rows = await database.all(integrity)
    return rows.map(([line]) => String(line)).filter((line) => line !== 'ok')
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined || !isDamage(error)) throw error
    return [fault.message]
  }
}

/** Adds those rows of a table to `sums` that are `where`. Throws `store-failed` where some cannot be read. */
export async function addRowsWhere(
  reader: Reader,
  sums: RangeSums,
  of: Pick<Pages, 'table' | 'where' | 'limits'>,
): Promise<void> {
  if (!(await addPages(reader, { ...of, sums }, () => undefined)))
    throw new Fault('store-failed', `rows cannot be read of table ${of.table.name}`)
}

/** Values that rows of a range have in the column of ranges. */
export function boundsOf(table: Table, part: number): DamagedRange['range'] {
  const by = table.sums?.by
  if (by === undefined) return undefined
  return { column: by.column, from: part * by.size, until: (part + 1) * by.size }
}

/** Damaged ones of some ranges of a table; `report` hears of rows that were read, and is awaited. */
async function checkPiece(
  reader: Reader,
  table: Table,
  ranges: Ranges,
  report: (rows: number) => unknown,
): Promise<DamagedRange[]> {
  const isOrdered = isOrderedByRange(table)
  const written = new Map<number, RangeSum>()
  const limits = [table.name, ranges.from, ranges.until]
  for (const [part, rows, sum] of await reader.all(sumsBetween, limits))
    written.set(part, { rows, sum })
  const sums = new RangeSums(table)
  const isWhole = await addPages(reader, { table, sums, ...rowsOf(table, ranges) }, report)
  const found = new Map(sums.entries())
  const damaged: DamagedRange[] = []
  for (const part of new Set([...written.keys(), ...found.keys()])) {
    if (areEqual(written.get(part), found.get(part))) continue
    // A key out of order can hide what follows it: where a range can be found by itself it counts.
    const own = isOrdered
      ? await sumOfRange(reader, table, part)
      : isWhole
        ? (found.get(part) ?? { rows: 0, sum: 0 })
        : undefined
    if (areEqual(written.get(part), own)) continue
    const range = boundsOf(table, part)
    damaged.push({ table, part, range, written: written.get(part), found: own })
  }
  return damaged
}

/** Sum of the rows of one range as they are stored now; `undefined` if they cannot be read. */
async function sumOfRange(
  reader: Reader,
  table: Table,
  part: number,
): Promise<RangeSum | undefined> {
  const sums = new RangeSums(table)
  const rows = rowsOf(table, { from: part, until: part + 1 })
  return (await addPages(reader, { table, sums, ...rows }, () => undefined))
    ? sums.of(part)
    : undefined
}

/** Condition of the rows of some ranges. Damage makes values that are no numbers: they lie beyond all. */
function rowsOf(table: Table, { from, until }: Ranges): Pick<Pages, 'where' | 'limits'> {
  const { column, size } = table.sums?.by ?? { column: '', size: 1 }
  const bounds = [
    ...(from === allRanges.from ? [] : [{ where: `${column} >= ?`, limit: from * size }]),
    ...(until === allRanges.until ? [] : [{ where: `${column} < ?`, limit: until * size }]),
  ]
  return {
    where: ['true', ...bounds.map(({ where }) => where)].join(' and '),
    limits: bounds.map(({ limit }) => limit),
  }
}

/** Returns whether the rows of a range lie together. */
function isOrderedByRange(table: Table): boolean {
  return table.sums?.by?.column === table.key[0]
}

/** Adds all rows of a table, or of a range of it; false where some could not be read. */
async function addPages(
  reader: Reader,
  { sums, ...of }: Pick<Pages, 'table' | 'where' | 'limits'> & { readonly sums: RangeSums },
  progress: (rows: number) => unknown,
): Promise<boolean> {
  return eachPage(reader, { ...of, names: summedColumns(of.table) }, async (rows) => {
    sums.addRows(rows, 1)
    await progress(rows.length)
  })
}
