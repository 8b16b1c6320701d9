/**
 * The end of a full comparison: the copy has no row that no block makes, of changes of balances and of
 * holders it has as many as all blocks make, and filters of segments say what their rows say.
 */

import { assert, Fault } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import type { Reader, Row } from '../../../store/engine/database.ts'
import { columnNames, type HistoryStage, stageOf, type Table } from '../../../store/engine/table.ts'
import type { SegmentTables } from '../../../store/ice/awaited-segment.ts'
import { type FrozenShape, shapesOf } from '../../../store/ice/frozen-shape.ts'
import { iceOf } from '../../../store/ice/ice.ts'
import { balance, holding } from '../../../store/schema/evm.ts'
import { placesPerBlock } from '../../../store/schema/places.ts'
import { eachPage } from '../../../store/sums/pages.ts'
import { amountOf, heldSince } from './compare-amounts.ts'
import { blockRowTables, traceRowTables } from './compare-facts.ts'
import { compareFilters } from './compare-filters.ts'
import { leftOver } from './difference.ts'

/** Rows that all blocks of a copied history make. */
export type RestToCompare = {
  /** First height after the copied ones, and after those of them that have traces. */
  readonly until: number
  readonly tracedUntil: number
  /** By table, see `compareUnits`. */
  readonly rows: Readonly<Record<string, number>>
  /** True where traces were compared. */
  readonly isTraced: boolean
  /** Waited for between two groups of rows, so that others have their turn. */
  readonly pause: () => Promise<void>
}

/**
 * Throws `source-mismatch` for a table that has other rows of copied heights than their blocks make, and
 * for a filter that has other ids than its table.
 *
 * Cost: every row of history is read once, those of tables with filters twice.
 */
export async function compareRest(reader: Reader, rest: RestToCompare): Promise<void> {
  const { until, tracedUntil, isTraced } = rest
  for (const table of blockRowTables)
    checkCount(table, await rowsBelow(reader, table, { ...rest, until }), rest)
  if (isTraced)
    for (const table of traceRowTables)
      checkCount(table, await rowsBelow(reader, table, { ...rest, until: tracedUntil }), rest)
  await compareIndexes(reader)
  await compareFilters(reader, rest.pause)
  checkCount(balance, await changesBelow(reader, rest), rest)
  checkCount(holding, await firstsBelow(reader, rest), rest)
}

function checkCount(table: Table, copied: number, { rows }: RestToCompare): void {
  const told = rows[table.name]
  assert(told !== undefined, 'rows of every table were counted')
  if (copied !== told) throw leftOver(table.name, copied, told)
}

/** Rows of a table of facts, or of a list of them, of heights below `until`. */
async function rowsBelow(
  reader: Reader,
  table: Table,
  below: Pick<RestToCompare, 'until' | 'pause'>,
): Promise<number> {
  const column = columnNames(table).indexOf(itemAt(table.key, table.key.length - 1))
  const scale = table.key.at(-1) === 'pos' ? placesPerBlock : 1
  let count = 0
  await eachRow(reader, table, {
    ...below,
    visit: (rows, limit) => {
      for (const row of rows) if (Number(itemAt(row, column)) < limit * scale) count++
    },
  })
  return count
}

/** Times that a balance became another one; rows count from the beginning of their piece. */
async function changesBelow(
  reader: Reader,
  below: Pick<RestToCompare, 'until' | 'pause'>,
): Promise<number> {
  let changes = 0
  let pair = ''
  let before = 0n
  await eachRow(reader, balance, {
    ...below,
    begins: () => (pair = ''),
    visit: (rows, limit) => {
      for (const [addressId, tokenId, height, value, negative] of rows) {
        const own = `${Number(addressId)} ${Number(tokenId)}`
        if (own !== pair) before = 0n
        pair = own
        const amount = amountOf(value, negative)
        if (amount !== before && Number(height) < limit) changes++
        before = amount
      }
    },
  })
  return changes
}

/** Times that somebody was named by a token for the first time; each piece may have a row of it. */
async function firstsBelow(
  reader: Reader,
  below: Pick<RestToCompare, 'until' | 'pause'>,
): Promise<number> {
  let firsts = 0
  await eachRow(reader, holding, {
    ...below,
    visit: async (rows, limit) => {
      for (const [tokenId, addressId, since] of rows) {
        if (Number(since) >= limit) continue
        const pair = { tokenId: Number(tokenId), addressId: Number(addressId) }
        if ((await heldSince(reader, pair)) === since) firsts++
      }
    },
  })
  return firsts
}

type RowsToVisit = Pick<RestToCompare, 'until' | 'pause'> & {
  /**
   * Called with some rows, each with every column, and the height from which on rows are not of the copy:
   * all rows of a segment that was copied are.
   */
  readonly visit: (rows: readonly Row[], limit: number) => void | Promise<void>
  /** Called before each segment and before the tables: each has an order of its own. */
  readonly begins?: () => void
}

/** Visits every row of a table: those in segments first, then those in tables. */
async function eachRow(reader: Reader, table: Table, of: RowsToVisit): Promise<void> {
  const { until, pause, visit, begins = () => undefined } = of
  const held = await iceOf(reader)?.hold(reader)
  try {
    for (const range of held?.ranges[historyOf(table)] ?? []) {
      begins()
      const frozen = range.segment.table(table.name)
      const rows = frozen?.rows ?? 0
      const limit = range.until <= until ? Number.POSITIVE_INFINITY : until
      for (let from = 0; from < rows; from += rowsAtOnce) {
        await visit(frozen?.valuesOf(from, Math.min(rows, from + rowsAtOnce)) ?? [], limit)
        await pause()
      }
    }
    begins()
    const pages = { table, names: columnNames(table), where: '1 = 1', limits: [] }
    const isWhole = await eachPage(reader, pages, async (rows) => {
      await visit(rows, until)
      await pause()
    })
    if (!isWhole) throw new Fault('store-failed', `rows cannot be read of table ${table.name}`)
  } finally {
    held?.release()
  }
}

function historyOf(table: Table): HistoryStage {
  const stage = stageOf(table)
  assert(stage !== undefined, 'rows of history freeze')
  return stage
}

/** Throws `source-mismatch` where an index in a segment has more or fewer entries than its table. */
async function compareIndexes(reader: Reader): Promise<void> {
  const held = await iceOf(reader)?.hold(reader)
  try {
    const indexes = blockRowTables.flatMap(shapesOf)
    for (const { segment } of held?.ranges.blocks ?? []) compareEntries(segment, indexes)
  } finally {
    held?.release()
  }
}

function compareEntries(segment: SegmentTables, shapes: readonly FrozenShape[]): void {
  for (const { name, leadsTo } of shapes) {
    const rows = segment.table(leadsTo ?? name)?.rows ?? 0
    const entries = segment.table(name)?.rows ?? 0
    if (entries !== rows) throw leftOver(name, entries, rows)
  }
}

/** Rows read at once: some groups of a segment. */
const rowsAtOnce = 4_096
