/**
 * Writes the rows of neighbouring segments as one segment, from their files alone: no store is
 * read, so any thread can do it.
 */

import { itemAt } from '../../core/item-at.ts'
import { type Row, statement, type Value } from '../engine/database.ts'
import { columnNames, type HistoryStage, type Table } from '../schema/table.ts'
import { immutable } from '../sqlite/connection.ts'
import { directorySchema, writePlaces } from './directory.ts'
import { written } from './freeze.ts'
import { amountCells, amountOf } from './over-segments.ts'
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
      await attached(made, sources, { schema: ownSchema(stage), pause })
      writePlaces(made, stage, heights)
    },
    pause,
  )
}

/** Merges files into one of `schema`; see {@link mergeFiles}. */
export function mergeInto(
  schema: SegmentSchema,
  { sources, draft }: MergeJob,
  pause: () => Promise<void>,
): Promise<string> {
  return written(
    draft,
    schema,
    async (made) => {
      const layouts = await attached(made, sources, { schema, pause })
      const selected = (table: Table): readonly string[] =>
        layouts.map(
          (layout, at) => `select ${schema.columns(table, layout)} from s${at}.${table.name}`,
        )
      const merged = { made, selected, pause }
      for (const table of schema.tables) {
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
  /** A statement for all rows of a table of each source. */
  readonly selected: (table: Table) => readonly string[]
  readonly pause: () => Promise<void>
}

/** SQLite reads all sources at once, in the order of their keys. */
function mergeWhole({ made, selected }: Merged, table: Table): void {
  const { name, key } = table
  const all = selected(table)
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
async function mergeByRow({ made, selected, pause }: Merged, table: Table): Promise<void> {
  const names = columnNames(table)
  // The key, and behind that of a holder the height: both are in this order.
  const order = names.slice(0, 3).join(', ')
  const all = selected(table)
  const page = all
    .map((rows, at) => `${rows.replace(' from ', `, ${at} from `)} where (${order}) > (?, ?, ?)`)
    .join(' union all ')
  const question = statement(`${page} order by ${order} limit ${pageRows}`, { over: undefined })
  const next = table.freezes === 'running' ? runningRows(names) : firstRows()
  let after: readonly Value[] = [-1, -1, -1]
  for (;;) {
    const rows = made.connection.all(
      question,
      all.flatMap(() => after),
    )
    const kept = rows.flatMap((row) => next(row) ?? [])
    if (kept.length > 0)
      made.add(
        table,
        Object.fromEntries(names.map((name, at) => [name, kept.map((row) => itemAt(row, at))])),
      )
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageRows) return
    after = last.slice(0, 3)
    await pause()
  }
}

/** Gives rows in order; nothing for one that is left out. Its segment stands behind its columns. */
type NextRow = (row: Row) => [Row] | undefined

/** The oldest row of each key. */
function firstRows(): NextRow {
  let known: Row = []
  return (row) => {
    const isKnown = row[0] === known[0] && row[1] === known[1]
    known = row
    return isKnown ? undefined : [row]
  }
}

/**
 * Rows with what the segments before them came to. A first row of a segment that changes nothing is left
 * out where the key is known already.
 */
function runningRows(names: readonly string[]): NextRow {
  const piece = names.length
  const [value, negative] = [names.indexOf('value'), names.indexOf('negative')]
  let last: Row = []
  let total = 0n
  let before = 0n
  return (row) => {
    const isKnown = row[0] === last[0] && row[1] === last[1]
    const isFirst = !isKnown || row[piece] !== last[piece]
    if (!isKnown) before = 0n
    else if (isFirst) before = total
    last = row
    const own = amountOf(row[value], row[negative])
    if (isKnown && isFirst && own === 0n) return undefined
    total = before + own
    if (before === 0n) return [row]
    const cells = amountCells(total)
    return [row.with(value, cells[0]).with(negative, cells[1])]
  }
}
