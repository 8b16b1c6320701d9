/**
 * Look-ups by key over tables and segments, and rows of tables with the whole of the amounts that run:
 * tables count these from the first height that is not frozen.
 */

import { assert } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { type Column, type Lookup, type Row, valueAt } from '../engine/database.ts'
import { columnNames, type HistoryStage, stageOf, type Table } from '../engine/table.ts'
import { placesPerBlock } from '../schema/places.ts'
import { endOf, holding, type IcedStore } from './held-segments.ts'
import { frozenUntil } from './manifest.ts'
import type { Plan } from './plan.ts'
import { amountCells, amountOf, runningColumnsOf, type RunningTotals } from './running-amounts.ts'
import { frozenRow, segmentAt, type SegmentRange, totalsOf } from './walk-segments.ts'

/** The row of each key of a table that freezes `whole`, by its whole key. */
export async function lookedUp(
  store: IcedStore,
  lookup: Lookup,
  keys: readonly Column[],
): Promise<(Row | undefined)[]> {
  const rows = await store.reader.lookup(lookup, keys)
  if (rows.every((row) => row !== undefined)) return rows
  return holding(store, ({ ranges: all }) => {
    const ranges = all[historyOf(lookup.table)]
    return ranges.length === 0 ? [...rows] : withFrozen(rows, { ranges, lookup, keys })
  })
}

/** The newest row of each key of a table whose amounts run, with whole amounts. */
export async function newestLookedUp(
  store: IcedStore,
  lookup: Lookup,
  keys: readonly Column[],
): Promise<(Row | undefined)[]> {
  const { reader, ice } = store
  const { table, key, select, bigints = false } = lookup
  const isPrefix = key.join(' ') === table.key.slice(0, -1).join(' ')
  assert(table.freezes === 'running' && isPrefix, `the newest of ${table.name} is looked up by key`)
  const names = columnNames(table)
  const columns = select.map((name) => names.indexOf(name))
  for (;;) {
    const stage = historyOf(table)
    const known = frozenUntil(await ice.manifest(reader), stage)
    const stored = await reader.lookup({ ...lookup, select: names, bigints: false }, keys)
    const rows = await holding(store, async ({ ranges: all }) => {
      const ranges = all[stage]
      if (endOf(ranges) !== known) return undefined
      return known === 0 ? [...stored] : newestOf({ ...store, ranges, table }, keys, stored)
    })
    if (rows === undefined) continue
    return rows.map((row) => {
      const picked = row && columns.map((column) => itemAt(row, column))
      return picked !== undefined && bigints ? withBigints(picked) : picked
    })
  }
}

async function newestOf(
  store: IcedStore & { readonly ranges: readonly SegmentRange[]; readonly table: Table },
  keys: readonly Column[],
  stored: readonly (Row | undefined)[],
): Promise<(Row | undefined)[]> {
  const { table, ranges } = store
  const totals = totalsOf(table, ranges)
  const columns = runningColumnsOf(table)
  const rows: (Row | undefined)[] = []
  for (const [at, row] of stored.entries()) {
    const key = keys.map((column) => Number(valueAt(column, at)))
    const amount = row && (await wholeAmount(store, { table, totals, row }))
    if (row === undefined || amount === undefined) rows.push(totals.newest(key))
    else {
      const [value, negative] = amountCells(amount)
      rows.push(row.with(columns.value, value).with(columns.negative, negative))
    }
  }
  return rows
}

function historyOf(table: Table): HistoryStage {
  const stage = stageOf(table)
  assert(stage !== undefined, 'segments are asked for a table that freezes')
  return stage
}

type Missing = {
  readonly ranges: readonly SegmentRange[]
  readonly lookup: Lookup
  readonly keys: readonly Column[]
}

/** `rows`, with those of segments where there are none. */
function withFrozen(
  rows: readonly (Row | undefined)[],
  { ranges, lookup, keys }: Missing,
): (Row | undefined)[] {
  const { table, key, select } = lookup
  const placeAt = key.indexOf(itemAt(table.key, table.key.length - 1))
  assert(
    table.freezes === 'whole' && placeAt !== -1 && key.length === table.key.length,
    `rows of ${table.name} are looked up by their whole key`,
  )
  const order = table.key.map((name) => key.indexOf(name))
  const columns = select.map((name) => columnNames(table).indexOf(name))
  const scale = table.key.at(-1) === 'pos' ? placesPerBlock : 1
  return rows.map((row, at) => {
    if (row !== undefined) return row
    const whole = order.map((column) => Number(valueAt(itemAt(keys, column), at)))
    const range = segmentAt(ranges, Math.floor(itemAt(whole, whole.length - 1) / scale))
    const cells = range === undefined ? undefined : frozenRow(range.segment, table, whole)
    const found = cells === undefined ? undefined : columns.map((column) => cells.cell(column))
    return lookup.bigints === true && found !== undefined ? withBigints(found) : found
  })
}

/** A row of a table whose amounts run: its cells that a statement selects, and all of its columns. */
type SelectedRow = { readonly selected: Row; readonly columns: Row }

/** `rows` of tables with the amounts that segments before them add. */
export async function wholeRows<R extends SelectedRow>(
  store: IcedStore & { readonly plan: Plan },
  rows: readonly R[],
  ranges: readonly SegmentRange[],
): Promise<readonly R[]> {
  const { running } = store.plan
  if (running === undefined) return rows
  const { table, values, negatives } = running
  const totals = totalsOf(table, ranges)
  const whole: R[] = []
  for (const row of rows) {
    const amount = await wholeAmount(store, { table, totals, row: row.columns })
    if (amount === undefined) continue
    const cells = amountCells(amount)
    const selected = row.selected.map((value, at) =>
      values.includes(at) ? cells[0] : negatives.includes(at) ? cells[1] : value,
    )
    whole.push({ ...row, selected })
  }
  return whole
}

type StoredAmount = {
  readonly table: Table
  readonly totals: RunningTotals
  /** All columns. */
  readonly row: Row
}

/** Amount of a row of a table with what segments add; `undefined` for a row that says nothing. */
async function wholeAmount(
  { reader, ice }: IcedStore,
  { table, totals, row }: StoredAmount,
): Promise<bigint | undefined> {
  const { keyLength, value, negative } = runningColumnsOf(table)
  const key = row.slice(0, keyLength).map(Number)
  const own = amountOf(itemAt(row, value), itemAt(row, negative))
  const before = totals.all(key)
  if (before === undefined) return own
  const place = itemAt(row, keyLength)
  if (own === 0n && (await reader.get(ice.olderRow(table), [...key, place])) === undefined)
    return undefined
  return before + own
}

/** A row with its integers as bigints. */
export function withBigints(row: Row): Row {
  return row.map((value) => (typeof value === 'number' ? BigInt(value) : value))
}
