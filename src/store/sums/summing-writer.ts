/**
 * Writes rows and keeps the sums of their ranges, in one transaction.
 *
 * Rows that are only added cost their hash. A row that changes or goes is looked up before, unless
 * the caller says what it was, so that its old hash can be taken off.
 */

import { Fault } from '../../core/fault.ts'
import { shapeOf, updateNames } from '../engine/bulk-sql.ts'
import {
  type Column,
  type Columns,
  type Row,
  statement,
  type Statement,
  valueAt,
  type Writer,
  columnOf,
} from '../engine/database.ts'
import { rangeSum } from '../schema/sums.ts'
import type { Table } from '../schema/table.ts'
import { hasAmounts } from './pages.ts'
import { RangeSums, summedColumns } from './range-sums.ts'

/** A writer whose sums are to be saved before its transaction ends. */
export type SummingWriter = { readonly writer: Writer; readonly save: () => Promise<void> }

const forgetTable = statement('delete from range_sum where tab = ?')

/** Wraps `writer` for a store with `tables`. */
export function summingWriter(writer: Writer, tables: readonly Table[]): SummingWriter {
  const summed = new Map(tables.filter(({ sums }) => sums).map((table) => [table.name, table]))
  const changed = new Map<string, RangeSums>()
  const sumsOf = (table: Table): RangeSums | undefined => {
    if (table.sums === undefined) return undefined
    const known = changed.get(table.name)
    if (known !== undefined) return known
    const made = new RangeSums(table)
    changed.set(table.name, made)
    return made
  }
  const wrapped: Writer = {
    ...writer,
    run: (question, parameters) => {
      checkRaw(question, summed)
      return writer.run(question, parameters)
    },
    insert: (table, columns) => {
      sumsOf(table)?.addColumns(columns, shapeOf(table, columns).count, 1)
      return writer.insert(table, columns)
    },
    insertNew: async (table, columns) => {
      const sums = sumsOf(table)
      if (sums === undefined) return writer.insertNew(table, columns)
      const fresh = await absentRows(writer, table, columns)
      sums.addColumns(fresh, shapeOf(table, fresh).count, 1)
      await writer.insert<Table>(table, fresh)
    },
    upsert: async (table, columns) => {
      const sums = sumsOf(table)
      if (sums !== undefined) await replace(writer, { table, columns, sums }, 'all')
      await writer.upsert(table, columns)
    },
    update: async (table, columns) => {
      const sums = sumsOf(table)
      if (sums !== undefined) await replace(writer, { table, columns, sums }, 'present')
      await writer.update(table, columns)
    },
    remove: async (table, keys, known) => {
      const sums = sumsOf(table)
      if (sums !== undefined) await takeOff(writer, { table, columns: keys, sums }, known)
      await writer.remove(table, keys)
    },
    clear: async (table) => {
      sumsOf(table)?.clear()
      if (table.sums !== undefined) await writer.run(forgetTable, [table.name])
      await writer.clear(table)
    },
  }
  return { writer: wrapped, save: () => saveSums(writer, changed) }
}

type Change = { readonly table: Table; readonly columns: Columns; readonly sums: RangeSums }

/** Changes the sums as rows of `columns` replace those of their keys. */
async function replace(
  writer: Writer,
  { table, columns, sums }: Change,
  which: 'all' | 'present',
): Promise<void> {
  const { count } = shapeOf(table, columns)
  if (count === 0) return
  const names = summedColumns(table)
  // Columns that are not summed may change freely.
  if (
    which === 'present' &&
    !updateNames(table, Object.keys(columns)).some(
      (name) => !table.key.includes(name) && names.includes(name),
    )
  )
    return
  const before = await storedRows(writer, table, columns)
  const after: Row[] = []
  for (let row = 0; row < count; row++) {
    const old = before[row]
    if (old === undefined && which === 'present') continue
    after.push(
      names.map((name, at) => {
        const column = columns[name]
        return column === undefined ? (old?.[at] ?? null) : valueAt(column, row)
      }),
    )
  }
  sums.addRows(present(before), -1)
  sums.addRows(after, 1)
}

async function takeOff(
  writer: Writer,
  { table, columns, sums }: Change,
  known: Columns | undefined,
): Promise<void> {
  const { count } = shapeOf(table, columns)
  const all = { ...known, ...columns }
  if (summedColumns(table).every((name) => all[name] !== undefined)) {
    sums.addColumns(all, count, -1)
    return
  }
  sums.addRows(present(await storedRows(writer, table, columns)), -1)
}

async function storedRows(
  writer: Writer,
  table: Table,
  columns: Columns,
): Promise<readonly (Row | undefined)[]> {
  const keys = table.key.map((name) => columnOf(columns, name))
  const select = summedColumns(table)
  return writer.lookup({ table, key: table.key, select, bigints: hasAmounts(table) }, keys)
}

/** Rows of `columns` whose key is not stored, each key once. */
async function absentRows(writer: Writer, table: Table, columns: Columns): Promise<Columns> {
  const { names, count } = shapeOf(table, columns)
  const keys = table.key.map((name) => columnOf(columns, name))
  const stored = await writer.lookup({ table, key: table.key, select: table.key }, keys)
  const seen = new Set<string>()
  const rows: number[] = []
  for (let row = 0; row < count; row++) {
    if (stored[row] !== undefined) continue
    const key = keys
      .map((column) => {
        const value = valueAt(column, row)
        return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
      })
      .join(' ')
    if (seen.has(key)) continue
    seen.add(key)
    rows.push(row)
  }
  const fresh: Record<string, Column> = {}
  for (const name of names) fresh[name] = rows.map((row) => valueAt(columnOf(columns, name), row))
  return fresh
}

function present(rows: readonly (Row | undefined)[]): Row[] {
  return rows.filter((row) => row !== undefined)
}

/** Adds what changed to the sums that are stored. Ranges without rows have none. */
async function saveSums(writer: Writer, changed: ReadonlyMap<string, RangeSums>): Promise<void> {
  const entries = [...changed].flatMap(([name, sums]) =>
    sums
      .entries()
      .filter(([, { rows, sum }]) => rows !== 0 || sum !== 0)
      .map(([part]) => ({ name, part, sums })),
  )
  if (entries.length === 0) return
  const stored = await writer.lookup(
    { table: rangeSum, key: rangeSum.key, select: ['row_count', 'row_sum'] },
    [entries.map(({ name }) => name), entries.map(({ part }) => part)],
  )
  const totals = entries.map(({ name, part, sums }, at) => {
    const [rows = 0, sum = 0] = stored[at] ?? []
    sums.addSum(part, { rows: rows, sum: sum })
    return { name, part, total: sums.of(part) }
  })
  const filled = totals.filter(({ total }) => total.rows !== 0)
  const empty = totals.filter(({ total }) => total.rows === 0)
  await writer.upsert(rangeSum, {
    tab: filled.map(({ name }) => name),
    part: filled.map(({ part }) => part),
    row_count: filled.map(({ total }) => total.rows),
    row_sum: filled.map(({ total }) => total.sum),
  })
  await writer.remove(rangeSum, {
    tab: empty.map(({ name }) => name),
    part: empty.map(({ part }) => part),
  })
}

const changes = /^\s*(?:insert into|delete from|update)\s+(\w+)/i

/** Refuses words that change summed columns past the sums. */
function checkRaw(question: Statement, summed: ReadonlyMap<string, Table>): void {
  const name = changes.exec(question.sqlite)?.[1]
  if (question.unsummed || name === undefined || !summed.has(name)) return
  throw new Fault('store-failed', `rows of ${name} are summed: write them by key`)
}
