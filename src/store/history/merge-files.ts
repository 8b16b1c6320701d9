/**
 * Writes the rows of neighbouring segments as one segment, from their files alone: no store is
 * read, so any thread can do it.
 */

import { rmSync } from 'node:fs'

import { itemAt } from '../../core/item-at.ts'
import { type Row, statement, type Value } from '../engine/database.ts'
import { columnNames, type HistoryStage, type Table } from '../schema/table.ts'
import { immutable } from '../sqlite/connection.ts'
import {
  type AttachedRows,
  compareKeys,
  type DirectoryKey,
  directorySchema,
  firstSummed,
  numberedTables,
  summedRows,
  tablesBetween,
  writePlaces,
} from './directory.ts'
import { written } from './freeze.ts'
import { amountCells, amountOf, withAmount } from './over-segments.ts'
import { checkName } from './segment-bytes.ts'
import { SegmentFile, SegmentWriter } from './segment-file.ts'
import { ownSchema, type SegmentSchema } from './segment-schema.ts'

/** A file to merge. */
export type MergeSource = {
  readonly path: string
  readonly name: string
  /** As of {@link ManifestSegment}. */
  readonly first?: readonly number[] | undefined
}

/** Files to merge. A value that crosses threads. */
export type MergeJob = {
  /** Segments in order of height, at most ten; of the directory at most ten sets, one after the other. */
  readonly sources: readonly MergeSource[]
  /** The file to write; the caller gives it its final name. */
  readonly draft: string
  readonly stage: HistoryStage
  /** Present where a set of the directory is written. */
  readonly directory?: {
    /** The sources are segments that begin at these heights; absent where they are sets of the directory. */
    readonly heights?: readonly number[] | undefined
    /** Most bytes of a file, more or less. */
    readonly pieceBytes: number
  }
}

/** A file that was written, and the name that it gets. */
export type MadeFile = {
  readonly draft: string
  readonly name: string
  readonly first?: DirectoryKey
}

/** Merges the files of a job into its draft, or drafts whose names begin with its. */
export type MergeFiles = (job: MergeJob, pause: () => Promise<void>) => Promise<readonly MadeFile[]>

/**
 * Merges as {@link MergeFiles} says; `pause` is awaited between pieces of work, and ends it by throwing.
 * Drafts are whole and on disk when this returns, and gone when this throws: `store-full`,
 * `store-failed` for a source that is damaged or gone.
 */
export const mergeFiles: MergeFiles = (job, pause) =>
  job.directory === undefined
    ? mergeInto(ownSchema(job.stage), job, pause)
    : writeSet(job, job.directory, pause)

/** Merges segments into one of `schema`; see {@link mergeFiles}. */
export async function mergeInto(
  schema: SegmentSchema,
  { sources, draft }: MergeJob,
  pause: () => Promise<void>,
): Promise<readonly MadeFile[]> {
  const fill = async (made: SegmentWriter): Promise<void> => {
    const layouts = await attached(made, sources, { schema, pause })
    for (const table of schema.tables) {
      const selected = layouts.map((layout, at) => ({
        columns: schema.columns(table, layout),
        rows: `from s${at}.${table.name} where true`,
      }))
      const merged = { made, selected, pause, leavesOut: true }
      if (table.freezes === 'whole') mergeWhole(merged, table)
      else await mergeByRow(merged, table)
      await pause()
    }
  }
  return [{ draft, name: await written(draft, schema, fill, { pause }) }]
}

/** Writes a set of the directory. */
async function writeSet(
  { sources, draft, stage }: MergeJob,
  { heights, pieceBytes }: NonNullable<MergeJob['directory']>,
  pause: () => Promise<void>,
): Promise<readonly MadeFile[]> {
  const made = new SegmentWriter(draft, directorySchema())
  try {
    if (heights === undefined) await mergeSets(made, sources, pause)
    else await gatherKeys(made, { sources, stage, heights }, pause)
    return await sealPieces(made, { draft, pieceBytes }, pause)
  } finally {
    made.abandon()
  }
}

/** Writes the keys and sums of segments. */
async function gatherKeys(
  made: SegmentWriter,
  {
    sources,
    stage,
    heights,
  }: Pick<MergeJob, 'sources' | 'stage'> & { readonly heights: readonly number[] },
  pause: () => Promise<void>,
): Promise<void> {
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
}

/** Writes the rows of sets: between two keys at which a file of any of them begins one file of each has all of them. */
async function mergeSets(
  made: SegmentWriter,
  sources: readonly MergeSource[],
  pause: () => Promise<void>,
): Promise<void> {
  const sets: MergeSource[][] = []
  for (const each of sources)
    if (each.first === undefined) sets.push([each])
    else sets.at(-1)?.push(each)
  const schema = directorySchema()
  for (const source of sources) await checkSource(source, { schema, pause })
  const firsts = sources.map(({ first = [] }) => first).toSorted(compareKeys)
  const bounds = firsts.filter(
    (key, at) => at === 0 || compareKeys(key, itemAt(firsts, at - 1)) > 0,
  )
  for (const [at, from] of bounds.entries()) {
    const files = sets.map((set) =>
      itemAt(
        set,
        set.findLastIndex(({ first = [] }) => compareKeys(first, from) <= 0),
      ),
    )
    for (const [nth, { path }] of files.entries()) made.attach(immutable(path), `s${nth}`)
    for (const { number, table, where } of tablesBetween(from, bounds[at + 1])) {
      const columns = columnNames(table).join(', ')
      const selected = files.map((_, nth) => ({
        columns,
        rows: `from s${nth}.${table.name} where ${where}`,
      }))
      const merged = { made, selected, pause, leavesOut: false }
      if (number < firstSummed) mergeWhole(merged, table)
      else await mergeByRow(merged, table)
    }
    made.detach()
    await pause()
  }
}

/** Seals what was written as one file, or as several where that would be larger than `pieceBytes`. */
async function sealPieces(
  made: SegmentWriter,
  { draft, pieceBytes }: { readonly draft: string; readonly pieceBytes: number },
  pause: () => Promise<void>,
): Promise<readonly MadeFile[]> {
  const cuts = cutsOf(made, pieceBytes)
  if (cuts.length === 0) return [{ draft, name: await made.seal(pause) }]
  const loose = made.finish()
  const files: MadeFile[] = []
  try {
    const firsts: readonly DirectoryKey[] = [[], ...cuts]
    for (const [at, first] of firsts.entries()) {
      const path = `${draft}-${at}`
      files.push({ draft: path, name: '', ...(at === 0 ? {} : { first }) })
      const name = await written(
        path,
        directorySchema(),
        async (piece) => {
          piece.attach(immutable(loose), 's0')
          for (const { table, where } of tablesBetween(first, firsts[at + 1])) {
            const rows = `from s0.${table.name} where ${where}`
            mergeWhole({ made: piece, selected: [{ columns: '*', rows }] }, table)
            await pause()
          }
        },
        { pause },
      )
      files[at] = { ...itemAt(files, at), name }
    }
    return files
  } catch (error) {
    for (const each of files) rmSync(each.draft, { force: true })
    throw error
  }
}

/** Bytes of a row of each table of the directory, as a share of all. */
const rowWeights = [12, 12, 16, 26, 26] as const

/** Keys at which the rows that were written are cut into files of about `pieceBytes`. */
function cutsOf({ connection }: SegmentWriter, pieceBytes: number): readonly DirectoryKey[] {
  const bytes = connection.pragma('page_count') * connection.pragma('page_size')
  if (bytes <= pieceBytes) return []
  const counts = numberedTables.map(({ table }) =>
    Number(connection.get(statement(`select count(*) from ${table.name}`, { over: undefined }))),
  )
  const weight = counts.reduce((sum, count, at) => sum + count * itemAt<number>(rowWeights, at), 0)
  // Files are filled alike.
  const share = weight / Math.ceil(bytes / pieceBytes)
  const cuts: DirectoryKey[] = []
  let left = share
  for (const [number, { table, group }] of numberedTables.entries()) {
    const key = table.key.slice(0, group).join(', ')
    const rowWeight = itemAt<number>(rowWeights, number)
    let rest = itemAt(counts, number)
    let skipped = 0
    while (rest * rowWeight > left) {
      const rows = Math.ceil(left / rowWeight)
      skipped += rows
      rest -= rows
      left = share
      const at = statement<string>(
        `select ${key} from ${table.name} order by ${key} limit 1 offset ${skipped}`,
        { over: undefined },
      )
      const cut = connection.get(at)
      if (cut === undefined) break
      const next = [number, ...cut.map(Number)]
      const last = cuts.at(-1)
      if (last === undefined || compareKeys(last, next) < 0) cuts.push(next)
    }
    left -= rest * rowWeight
  }
  return cuts
}

/** Attaches sources, which are what their names say, as `s0`, `s1` and so on; returns their layouts. */
async function attached(
  made: SegmentWriter,
  sources: readonly MergeSource[],
  of: { readonly schema: SegmentSchema; readonly pause: () => Promise<void> },
): Promise<readonly number[]> {
  const layouts: number[] = []
  for (const [at, source] of sources.entries()) {
    layouts.push(await checkSource(source, of))
    made.attach(immutable(source.path), `s${at}`)
  }
  return layouts
}

/** Returns the layout of a source. Throws `store-failed` where it is not what its name says. */
async function checkSource(
  { path, name }: MergeSource,
  { schema, pause }: { readonly schema: SegmentSchema; readonly pause: () => Promise<void> },
): Promise<number> {
  await checkName(path, name, pause)
  // Whose schema is compared by this.
  const file = new SegmentFile(path, name, schema)
  file.close()
  return file.layout
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
function mergeWhole(
  { made, selected }: Pick<Merged, 'made' | 'selected'>,
  { name, key }: Table,
): void {
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
