/**
 * Reads a store from end to end and compares what its ranges add up to with their stored sums.
 *
 * Each table is read once, in order of its key, some thousands of rows at a time, in a snapshot of
 * its own, so that writers are not disturbed and do not disturb. In memory are the sums of one
 * table.
 */

import { Fault, faultOf } from '../../core/fault.ts'
import { type Database, type Reader, statement } from '../engine/database.ts'
import type { Table } from '../engine/table.ts'
import { eachPage, isDamage, type Pages } from './pages.ts'
import { RangeSums, type RangeSum, summedColumns } from './range-sums.ts'

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

/** Progress of a check. */
export type CheckProgress = (table: string, rows: number) => void

const sumsOfTable = statement('select part, row_count, row_sum from range_sum where tab = ?')

/**
 * Damaged ranges of `tables`, which are those of the store. Throws `store-failed` when not even the
 * stored sums can be read, and the signal's reason.
 */
export async function checkStore(
  database: Database,
  tables: readonly Table[],
  run: { readonly signal: AbortSignal; readonly progress?: CheckProgress },
): Promise<DamagedRange[]> {
  const damaged: DamagedRange[] = []
  for (const table of tables) {
    if (table.sums === undefined) continue
    run.signal.throwIfAborted()
    const progress = (rows: number): void => {
      run.signal.throwIfAborted()
      run.progress?.(table.name, rows)
    }
    damaged.push(...(await database.snapshot((reader) => checkTable(reader, table, progress))))
  }
  return damaged
}

/** Rows of one reading of ranges. */
const rowsAtOnce = 4_000
/** A table that is not in the order of its ranges is read as a whole up to this size. */
const mostRowsWhole = 2_000_000

/**
 * Damaged ranges of an embedded store that is being written: the newest ranges first, a few at a
 * time, each as the store is then. Long readings keep the writer's log from being emptied, so that
 * larger tables in another order are left to {@link checkStore}. `pause` is awaited after some
 * thousand rows; what it throws ends the work.
 */
export async function checkBeside(
  database: Database,
  tables: readonly Table[],
  pause: () => Promise<unknown>,
): Promise<DamagedRange[]> {
  const damaged: DamagedRange[] = []
  for (const table of tables) {
    if (table.sums === undefined) continue
    const written = (await database.all(sumsOfTable, [table.name])).map(
      ([part, rows]): [number, number] => [Number(part), Number(rows)],
    )
    if (isOrderedByRange(table)) {
      for (const parts of gathered(written.toSorted(([a], [b]) => b - a))) {
        damaged.push(...(await database.snapshot((reader) => damagedAmong(reader, table, parts))))
        await pause()
      }
    } else if (written.reduce((sum, [, rows]) => sum + rows, 0) <= mostRowsWhole)
      damaged.push(...(await database.snapshot((reader) => checkTable(reader, table, pause))))
  }
  return damaged
}

/** Ranges in turn, as many together as are read at once. */
function gathered(ranges: readonly (readonly [part: number, rows: number])[]): number[][] {
  const groups: number[][] = []
  let room = 0
  for (const [part, rows] of ranges) {
    if (room <= 0) {
      groups.push([])
      room = rowsAtOnce
    }
    groups.at(-1)?.push(part)
    room -= Math.max(1, rows)
  }
  return groups
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

/** Sum of the rows of one range as they are stored now; `undefined` if they cannot be read. */
async function sumOfRange(
  reader: Reader,
  table: Table,
  part: number,
): Promise<RangeSum | undefined> {
  const sums = new RangeSums(table)
  const bounds = boundsOf(table, part)
  const where = bounds === undefined ? 'true' : `${bounds.column} >= ? and ${bounds.column} < ?`
  const limits = bounds === undefined ? [] : [bounds.from, bounds.until]
  const isWhole = await addPages(reader, { table, sums, where, limits }, () => undefined)
  return isWhole ? sums.of(part) : undefined
}

const sumOfPart = statement(
  'select part, row_count, row_sum from range_sum where tab = ? and part = ?',
)

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
export function boundsOf(
  table: Table,
  part: number,
): { readonly column: string; readonly from: number; readonly until: number } | undefined {
  const by = table.sums?.by
  if (by === undefined) return undefined
  return { column: by.column, from: part * by.size, until: (part + 1) * by.size }
}

/** Damaged ranges of a table; `progress` hears of the rows read so far, and is awaited. */
async function checkTable(
  reader: Reader,
  table: Table,
  progress: (rows: number) => unknown,
): Promise<DamagedRange[]> {
  const written = new Map<number, RangeSum>()
  for (const [part, rows, sum] of await reader.all(sumsOfTable, [table.name]))
    written.set(Number(part), { rows: Number(rows), sum: Number(sum) })
  const sums = new RangeSums(table)
  let rows = 0
  const isWhole = await addPages(reader, { table, sums, where: 'true', limits: [] }, (count) => {
    rows += count
    return progress(rows)
  })
  const found = new Map(sums.entries())
  const damaged: DamagedRange[] = []
  for (const part of new Set([...written.keys(), ...found.keys()])) {
    if (areEqual(written.get(part), found.get(part))) continue
    // A key out of order can hide what follows it: where a range can be found by itself it counts.
    const isAlone = isOrderedByRange(table)
    const own = isAlone
      ? await sumOfRange(reader, table, part)
      : (found.get(part) ?? { rows: 0, sum: 0 })
    if (areEqual(written.get(part), own)) continue
    const known = isWhole || isAlone ? own : undefined
    damaged.push(damagedRange(table, part, { written: written.get(part), found: known }))
  }
  return damaged.toSorted((a, b) => a.part - b.part)
}

/**
 * Those of some ranges that do not add up to their sums. Cost: their rows, or all of the table where its
 * key is another.
 */
export async function damagedAmong(
  reader: Reader,
  table: Table,
  parts: readonly number[],
): Promise<DamagedRange[]> {
  const damaged: DamagedRange[] = []
  for (const part of parts) {
    const [, rows = 0, sum = 0] = (await reader.get(sumOfPart, [table.name, part])) ?? []
    const written = { rows: Number(rows), sum: Number(sum) }
    const found = await sumOfRange(reader, table, part)
    if (!areEqual(written, found)) damaged.push(damagedRange(table, part, { written, found }))
  }
  return damaged
}

function damagedRange(
  table: Table,
  part: number,
  sums: Pick<DamagedRange, 'written' | 'found'>,
): DamagedRange {
  return { table, part, range: boundsOf(table, part), ...sums }
}

function areEqual(one: RangeSum | undefined, other: RangeSum | undefined): boolean {
  return (
    one !== undefined && other !== undefined && one.rows === other.rows && one.sum === other.sum
  )
}

/** Returns whether the rows of a range lie together. */
function isOrderedByRange(table: Table): boolean {
  return table.sums?.by?.column === table.key[0]
}

type Summed = Pick<Pages, 'table' | 'where' | 'limits'> & { readonly sums: RangeSums }

/** Adds all rows of a table, or of a range of it; false where some could not be read. */
async function addPages(
  reader: Reader,
  { sums, ...of }: Summed,
  progress: (rows: number) => unknown,
): Promise<boolean> {
  return eachPage(reader, { ...of, names: summedColumns(of.table) }, async (rows) => {
    sums.addRows(rows, 1)
    await progress(rows.length)
  })
}
