/**
 * The end of a full comparison: the copy has no row that no block makes, and of changes of balances and of
 * holders it has as many as all blocks make.
 */

import { assert, Fault } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import type { Reader, Row } from '../../../store/engine/database.ts'
import { columnNames, stageOf, type Table } from '../../../store/engine/table.ts'
import { historyOf } from '../../../store/history/history.ts'
import { segmentsOf } from '../../../store/history/manifest.ts'
import { balance, holding } from '../../../store/schema/evm.ts'
import { placesPerBlock } from '../../../store/schema/places.ts'
import { eachPage } from '../../../store/sums/pages.ts'
import { amountOf, heldSince } from './compare-amounts.ts'
import { blockRowTables, traceRowTables } from './compare-facts.ts'
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
 * Throws `source-mismatch` for a table that has other rows of copied heights than their blocks make.
 *
 * Cost: every row of history is read once.
 */
export async function compareRest(reader: Reader, rest: RestToCompare): Promise<void> {
  const { until, tracedUntil, isTraced } = rest
  for (const table of blockRowTables)
    checkCount(table, await rowsBelow(reader, table, { ...rest, until }), rest)
  if (isTraced)
    for (const table of traceRowTables)
      checkCount(table, await rowsBelow(reader, table, { ...rest, until: tracedUntil }), rest)
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
  const history = historyOf(reader)
  const held = await history?.hold(reader)
  const pages = { table, names: columnNames(table), where: '1 = 1', limits: [] }
  const eachOf = async (rowsOf: Reader, limit: number): Promise<void> => {
    begins()
    const isWhole = await eachPage(rowsOf, pages, async (rows) => {
      await visit(rows, limit)
      await pause()
    })
    if (!isWhole) throw new Fault('store-failed', `rows cannot be read of table ${table.name}`)
  }
  try {
    const stage = stageOf(table)
    assert(stage !== undefined, 'rows of history freeze')
    for (const segment of segmentsOf(held?.manifest ?? { segments: [] }, stage))
      if (history !== undefined)
        await eachOf(
          history.file(segment),
          segment.until <= until ? Number.POSITIVE_INFINITY : until,
        )
    await eachOf(reader, until)
  } finally {
    held?.release()
  }
}
