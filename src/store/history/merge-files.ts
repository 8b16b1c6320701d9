/**
 * Writes the rows of neighbouring segments as one segment, from their files alone: no store is
 * read, so any thread can do it.
 */

import { itemAt } from '../../core/item-at.ts'
import { type Row, statement, type Value } from '../engine/database.ts'
import { columnNames, type HistoryStage, type Table } from '../schema/table.ts'
import { immutable } from '../sqlite/connection.ts'
import { type AttachedRows, directorySchema, summedRows, writePlaces } from './directory.ts'
import { written } from './freeze.ts'
import { amountCells, amountOf, withAmount } from './over-segments.ts'
import { checkName } from './segment-bytes.ts'
import { SegmentFile, type SegmentWriter } from './segment-file.ts'
import { ownSchema, type SegmentSchema } from './segment-schema.ts'

/** Files to merge. A value that crosses threads. */
export type MergeJob = {
  /** Segments in order of height, at most ten. */
  readonly sources: readonly { readonly path: string; readonly name: string }[]
  /** The file to write; the caller gives it its final name. */
  readonly draft: string
  readonly stage: HistoryStage
  /** The sources are of the directory. */
  readonly isDirectory?: boolean
  /** The file is a new one of the directory, of segments that begin at these heights. */
  readonly heights?: readonly number[]
}

/** Merges the files of a job into its draft; returns the name that the segment gets. */
export type MergeFiles = (job: MergeJob, pause: () => Promise<void>) => Promise<string>

/**
 * Merges as {@link MergeFiles} says; `pause` is awaited between pieces of work, and ends it by throwing.
 * The draft is whole and on disk when this returns, and gone when this throws: `store-full`,
 * `store-failed` for a source that is damaged or gone.
 */
export const mergeFiles: MergeFiles = (job, pause) => {
  const { stage, heights, isDirectory = false } = job
  if (heights !== undefined) return directoryOf(job, heights, pause)
  return mergeInto(isDirectory ? directorySchema() : ownSchema(stage), job, pause)
}

/** Writes a file of the directory. */
function directoryOf(
  { sources, draft, stage }: MergeJob,
  heights: readonly number[],
  pause: () => Promise<void>,
): Promise<string> {
  return written(
    draft,
    directorySchema(),
    async (made) => {
      const schema = ownSchema(stage)
      const layouts = await attached(made, sources, { schema, pause })
      writePlaces(made, stage, heights)
      const summed = layouts.map((layout, at) =>
        summedRows(stage, `s${at}`, (table) => schema.columns(table, layout)),
      )
      for (const table of summed[0]?.keys() ?? []) {
        const selected = summed.flatMap((each) => each.get(table) ?? [])
        await mergeByRow({ made, selected, pause, leavesOut: false }, table)
      }
    },
    pause,
  )
}

/** Merges files into one of `schema`; see {@link mergeFiles}. */
export function mergeInto(
  schema: SegmentSchema,
  { sources, draft, isDirectory = false }: MergeJob,
  pause: () => Promise<void>,
): Promise<string> {
  return written(
    draft,
    schema,
    async (made) => {
      const layouts = await attached(made, sources, { schema, pause })
      for (const table of schema.tables) {
        const selected = layouts.map((layout, at) => ({
          columns: schema.columns(table, layout),
          rows: `from s${at}.${table.name} where true`,
        }))
        const merged = { made, selected, pause, leavesOut: !isDirectory }
        if (table.freezes === 'whole') mergeWhole(merged, table)
        else await mergeByRow(merged, table)
        await pause()
      }
    },
    pause,
  )
}

/** Attaches sources, which are what their names say, as `s0`, `s1` and so on; returns their layouts. */
async function attached(
  made: SegmentWriter,
  sources: MergeJob['sources'],
  of: { readonly schema: SegmentSchema; readonly pause: () => Promise<void> },
): Promise<readonly number[]> {
  const layouts: number[] = []
  for (const [at, { path, name }] of sources.entries()) {
    await checkName(path, name, of.pause)
    // Whose schema is compared by this.
    const file = new SegmentFile(path, name, of.schema)
    file.close()
    layouts.push(file.layout)
    made.attach(immutable(path), `s${at}`)
  }
  return layouts
}

type Merged = {
  readonly made: SegmentWriter
  /** The rows of a table of each source. */
  readonly selected: readonly AttachedRows[]
  readonly pause: () => Promise<void>
  /** A change that changes nothing is left out. */
  readonly leavesOut: boolean
}

/** SQLite reads all sources at once, in the order of their keys. */
function mergeWhole({ made, selected }: Merged, { name, key }: Table): void {
  const all = selected.map(({ columns, rows }) => `select ${columns} ${rows}`)
  // Neighbours follow each other where the key is the place alone.
  if (key.length === 1)
    for (const each of all)
      made.connection.exec(`insert into main.${name} ${each} order by ${key[0]}`)
  else
    made.connection.exec(
      `insert into main.${name} ${all.join(' union all ')} order by ${key.join(', ')}`,
    )
}

/** Rows read at once. */
const pageRows = 4_096

/**
 * Rows that depend on those of the same key in the segments before: the oldest holder of each is kept, and
 * to a running total is added what it came to there.
 */
async function mergeByRow(
  { made, selected, pause, leavesOut }: Merged,
  table: Table,
): Promise<void> {
  const names = columnNames(table)
  // The key, and behind that of a holder the height: both are in this order.
  const order = names.slice(0, 3).join(', ')
  const page = selected
    .map(({ columns, rows }, at) => `select ${columns}, ${at} ${rows} and (${order}) > (?, ?, ?)`)
    .join(' union all ')
  const question = statement(`${page} order by 1, 2, 3 limit ${pageRows}`, { over: undefined })
  const next = nextRowOf(table, leavesOut)
  const add = (rows: readonly Row[]): void => {
    if (rows.length === 0) return
    const columns = names.map((name, at) => [name, rows.map((row) => itemAt(row, at))] as const)
    made.add(table, Object.fromEntries(columns))
  }
  let after: readonly Value[] = [-1, -1, -1]
  for (;;) {
    const rows = made.connection.all(
      question,
      selected.flatMap(() => after),
    )
    add(rows.flatMap((row) => next(row) ?? []))
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageRows) break
    after = last.slice(0, 3)
    await pause()
  }
  add(next() ?? [])
}

/** Takes rows in order, and none at the end; gives those that are kept. The segment of a row stands behind its columns. */
type NextRow = (row?: Row) => [Row] | undefined

function nextRowOf(table: Table, leavesOut: boolean): NextRow {
  const names = columnNames(table)
  if (table.freezes === 'running') return runningRows(names, leavesOut)
  return names.includes('value') ? summedFirstRows(names) : firstRows()
}

/** The oldest row of each key. */
function firstRows(): NextRow {
  let known: Row = []
  return (row) => {
    if (row === undefined) return undefined
    const isKnown = row[0] === known[0] && row[1] === known[1]
    known = row
    return isKnown ? undefined : [row]
  }
}

/** The oldest row of each key, with the sum of all amounts. */
function summedFirstRows(names: readonly string[]): NextRow {
  const at = names.indexOf('value')
  let same: Row[] = []
  return (row) => {
    const [first] = same
    if (first !== undefined && row !== undefined && row[0] === first[0] && row[1] === first[1]) {
      same.push(row)
      return undefined
    }
    const made: [Row] | undefined = first && [withAmount(first, same, at)]
    same = row === undefined ? [] : [row]
    return made
  }
}

/**
 * Rows with what the segments before them came to. With `leavesOut` a first row of a segment that changes nothing is left
 * out where the key is known already.
 */
function runningRows(names: readonly string[], leavesOut: boolean): NextRow {
  const piece = names.length
  const [value, negative] = [names.indexOf('value'), names.indexOf('negative')]
  let last: Row = []
  let total = 0n
  let before = 0n
  return (row) => {
    if (row === undefined) return undefined
    const isKnown = row[0] === last[0] && row[1] === last[1]
    const isFirst = !isKnown || row[piece] !== last[piece]
    if (!isKnown) before = 0n
    else if (isFirst) before = total
    last = row
    const own = amountOf(row[value], row[negative])
    if (leavesOut && isKnown && isFirst && own === 0n) return undefined
    total = before + own
    if (before === 0n) return [row]
    const cells = amountCells(total)
    return [row.with(value, cells[0]).with(negative, cells[1])]
  }
}
