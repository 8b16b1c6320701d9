/**
 * The frozen history of one open store: where its segments lie, which are open, and how statements
 * are answered from them.
 */

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

import { Fault, faultOf } from '../../core/fault.ts'
import { type Reader, type Statement, statement, type Writer } from '../engine/database.ts'
import type { HistoryStage, Table } from '../engine/table.ts'
import { AwaitedSegment } from './awaited-segment.ts'
import type { FetchedSegments } from './fetched-segments.ts'
import { placeColumn } from './frozen-shape.ts'
import {
  type Manifest,
  type ManifestSegment,
  parseManifest,
  readManifest,
  segmentsOf,
} from './manifest.ts'
import { type Plan, type PlannedTables, planOf } from './plan.ts'
import { draftEnding, onDisk, segmentEnding } from './segment-writer.ts'
import { Segment } from './segment.ts'
import type { HistoryRanges, SegmentRange } from './walk-segments.ts'

/** The segments that `reader` reads besides its tables; `undefined` where none of it freezes. */
export function iceOf(reader: Reader): Ice | undefined {
  return reader.segments instanceof Ice ? reader.segments : undefined
}

/**
 * Takes away what a killed process left in `folder` where none freezes any more. Only the writer of the
 * store may. A list of segments that cannot be read leaves all files there: they are needed to mend it.
 */
export async function removeLeftovers(writer: Writer, folder: string): Promise<void> {
  if (!existsSync(folder)) return
  try {
    new Ice(folder, []).removeOrphans(await readManifest(writer))
  } catch (error) {
    if (faultOf(error)?.code !== 'store-failed') throw error
  }
}

/** Segments that stay open for a reader until it releases them, whatever replaces them meanwhile. */
export type HeldSegments = {
  readonly manifest: Manifest
  readonly ranges: HistoryRanges
  readonly release: () => void
}

/** The segments of one manifest, open. */
type Opening = {
  readonly manifest: Manifest
  readonly ranges: HistoryRanges
  readonly segments: readonly Segment[]
  users: number
}

/** Segments of a store. */
export class Ice {
  readonly #folder: string
  readonly #tables: PlannedTables
  readonly #plans = new WeakMap<Statement, { readonly plan: Plan | undefined }>()
  readonly #olderRows = new Map<Table, Statement>()
  readonly #segments = new Map<string, Segment>()
  /** Files that this process is writing. */
  readonly #drafts = new Set<string>()
  /** The newest one last; older ones while somebody reads them. */
  #openings: Opening[] = []
  #manifest = parseManifest('')
  readonly #below: number
  readonly #fetched: FetchedSegments | undefined
  /** Questions that read a segment which may be removed, by its name. */
  readonly #users = new Map<string, number>()

  /**
   * Segments of a store with `tables` lie in `folder`; those beyond height `below` are left out, and
   * those that are not there are `fetched`.
   */
  constructor(
    folder: string,
    tables: readonly Table[],
    {
      below = Number.POSITIVE_INFINITY,
      fetched,
    }: { readonly below?: number; readonly fetched?: FetchedSegments } = {},
  ) {
    this.#folder = folder
    this.#below = below
    this.#fetched = fetched
    this.#tables = {
      all: new Map(tables.map((table) => [table.name, table])),
      freezing: new Set(
        tables.filter(({ freezes }) => freezes !== undefined).map(({ name }) => name),
      ),
    }
  }

  /** Says that `reader` reads these segments. */
  serve<R extends Reader>(reader: R): R {
    return Object.assign(reader, { segments: this })
  }

  /** The plan of a statement; `undefined` where it asks for nothing that freezes. */
  planOf(question: Statement): Plan | undefined {
    if (question.rowsOnly === true) return undefined
    const known = this.#plans.get(question)
    if (known !== undefined) return known.plan
    const plan = planOf(question, this.#tables)
    this.#plans.set(question, { plan })
    return plan
  }

  /**
   * The question whether tables have an older row of the same key than a place, for a table whose amounts
   * run: the columns of its key are its parameters.
   */
  olderRow(table: Table): Statement {
    const known = this.#olderRows.get(table)
    if (known !== undefined) return known
    const where = table.key.slice(0, -1).map((name) => `${name} = ?`)
    const text = `select 1 from ${table.name} where ${where.join(' and ')} and ${placeColumn(table)} < ? limit 1`
    const question = statement(text, { rowsOnly: true })
    this.#olderRows.set(table, question)
    return question
  }

  /** The manifest that was read last. */
  get known(): Manifest {
    return this.#manifest
  }

  /** The manifest as `reader` sees it. Cost: one look-up by key. */
  async manifest(reader: Reader): Promise<Manifest> {
    const read = await readManifest(reader)
    if (read.text !== this.#manifest.text) {
      const segments = read.segments.filter(({ until }) => until <= this.#below)
      this.#manifest = { ...read, segments }
    }
    return this.#manifest
  }

  /**
   * The segments that `reader` sees, open and kept open until they are released: a file that a merge
   * replaces is read to the end by those who began. Throws `store-failed` for one that is missing or
   * damaged, `store-version`.
   */
  async hold(reader: Reader): Promise<HeldSegments> {
    for (;;) {
      const manifest = await this.manifest(reader)
      try {
        return this.#fetched === undefined ? this.#hold(manifest) : this.#awaited(manifest)
      } catch (error) {
        // A merge may have replaced a file since its name was read.
        if ((await this.manifest(reader)).text === manifest.text) throw error
      }
    }
  }

  /** The segments of `manifest`, each opened when it is read first. */
  #awaited(manifest: Manifest): HeldSegments {
    const used: string[] = []
    const ranges = rangesOf(manifest, (listed): SegmentRange => {
      const { from, until, name } = listed
      const find = (): Segment | undefined => {
        const segment = this.#present(listed)
        if (segment === undefined) return undefined
        used.push(name)
        this.#users.set(name, (this.#users.get(name) ?? 0) + 1)
        return segment
      }
      return { from, until, segment: new AwaitedSegment(name, find) }
    })
    const release = (): void => {
      for (const name of used) this.#users.set(name, (this.#users.get(name) ?? 1) - 1)
      this.#closeRemoved()
    }
    return { manifest, ranges, release }
  }

  /** An open segment; `undefined` where it has to be fetched. */
  #present(listed: ManifestSegment): Segment | undefined {
    const { name } = listed
    const known = this.#segments.get(name)
    if (known !== undefined) return known
    const segment = existsSync(this.pathOf(name))
      ? new Segment(this.pathOf(name))
      : this.#fetched?.open(name)
    if (segment === undefined) return undefined
    try {
      checkListed(segment, listed)
    } catch (error) {
      segment.close()
      throw error
    }
    this.#segments.set(name, segment)
    return segment
  }

  /** Closes segments whose files are removed, once no question reads them: they take room until then. */
  #closeRemoved(): void {
    for (const [name, segment] of this.#segments) {
      if ((this.#users.get(name) ?? 0) > 0 || existsSync(segment.path)) continue
      this.#users.delete(name)
      this.#segments.delete(name)
      segment.close()
    }
  }

  /**
   * Returns whether a question that failed may go on with other segments: a merge replaced one that no
   * source offers, or a fetched file is damaged, which is removed then.
   */
  async mayTryAgain(reader: Reader, { manifest }: HeldSegments, error: unknown): Promise<boolean> {
    const fault = faultOf(error)
    if (this.#fetched === undefined || fault === undefined) return false
    if (fault.code === 'not-found') return (await this.manifest(reader)).text !== manifest.text
    const { segment: path } = fault.detail
    const damaged = manifest.segments.find(({ name }) => this.#fetched?.pathOf(name) === path)
    if (damaged === undefined) return false
    this.#segments.get(damaged.name)?.close()
    this.#segments.delete(damaged.name)
    this.#fetched.remove(damaged.name)
    return true
  }

  /** Resolves when the segment is here. Throws as `FetchedSegments.need`. */
  async fetch(name: string): Promise<void> {
    await this.#fetched?.need(name)
  }

  #hold(manifest: Manifest): HeldSegments {
    let opening = this.#openings.find((each) => each.manifest.text === manifest.text)
    if (opening === undefined) {
      const segments: Segment[] = []
      const ranges = rangesOf(manifest, (listed) => {
        const segment = this.segment(listed.name)
        checkListed(segment, listed)
        segments.push(segment)
        return { from: listed.from, until: listed.until, segment }
      })
      opening = { manifest, ranges, segments, users: 0 }
      this.#openings.push(opening)
    }
    const held = opening
    held.users++
    this.#closeUnused()
    return {
      manifest: held.manifest,
      ranges: held.ranges,
      release: () => {
        held.users--
        if (held.users === 0) this.#closeUnused()
      },
    }
  }

  /** Closes what was replaced, once nobody reads it. */
  #closeUnused(): void {
    const newest = this.#openings.at(-1)
    const unused = this.#openings.filter((each) => each.users === 0 && each !== newest)
    if (unused.length === 0) return
    this.#openings = this.#openings.filter((each) => !unused.includes(each))
    const used = new Set(this.#openings.flatMap(({ segments }) => segments))
    for (const segment of unused.flatMap(({ segments }) => segments)) {
      if (used.has(segment) || this.#segments.get(segment.name) !== segment) continue
      this.#segments.delete(segment.name)
      segment.close()
    }
  }

  /** The segment `name`, open. */
  segment(name: string): Segment {
    const known = this.#segments.get(name)
    if (known !== undefined) return known
    const segment = new Segment(this.pathOf(name))
    if (segment.name !== name) {
      segment.close()
      throw new Fault('store-failed', `segment has another content than its name: ${name}`)
    }
    this.#segments.set(name, segment)
    return segment
  }

  /**
   * Gives the whole file at `path` the name of its content in this folder, in place of one that is
   * damaged. Throws `store-failed` where it is not the segment `name`, or damaged; it stays then.
   */
  adopt(path: string, name: string): void {
    const made = new Segment(path)
    try {
      if (made.name !== name)
        throw new Fault('store-failed', `file is another segment, ${made.name}: ${path}`)
      const damaged = made.damagedTables()
      if (damaged.length > 0)
        throw new Fault('store-failed', `bytes of ${damaged.join(', ')} are damaged: ${path}`)
    } finally {
      made.close()
    }
    this.#segments.get(name)?.close()
    this.#segments.delete(name)
    this.#openings = []
    mkdirSync(this.#folder, { recursive: true })
    onDisk(() => renameSync(path, this.pathOf(name)))
  }

  /** The file of a segment. */
  pathOf(name: string): string {
    return join(this.#folder, name + segmentEnding)
  }

  /**
   * A file to write a new segment into, of a name that nobody else has; {@link Ice.drafted} says that
   * it is finished or abandoned.
   */
  draft(): string {
    mkdirSync(this.#folder, { recursive: true })
    const file = `${randomUUID()}${draftEnding}`
    this.#drafts.add(file)
    return join(this.#folder, file)
  }

  /** The file of {@link Ice.draft} is not written any more. */
  drafted(path: string): void {
    this.#drafts.delete(basename(path))
  }

  /** Takes a segment away that was made, and that no manifest is going to name. */
  discard(name: string): void {
    this.#segments.get(name)?.close()
    this.#segments.delete(name)
    rmSync(this.pathOf(name), { force: true })
  }

  /** Takes files away that no manifest names and nobody writes. Only the writer of the store may. */
  removeOrphans({ segments }: Manifest): void {
    if (!existsSync(this.#folder)) return
    const named = new Set(segments.map(({ name }) => name + segmentEnding))
    for (const file of readdirSync(this.#folder)) {
      const isOurs = file.endsWith(segmentEnding) || file.endsWith(draftEnding)
      if (!isOurs || named.has(file) || this.#drafts.has(file)) continue
      rmSync(join(this.#folder, file), { force: true })
    }
  }

  /** Bytes of the segments of the manifest that was read last. */
  sizeBytes(): number {
    const sizes = this.#manifest.segments.map(({ name }) => {
      const paths = [this.pathOf(name), this.#fetched?.pathOf(name)]
      const found = paths.map((path) => path && statSync(path, { throwIfNoEntry: false }))
      return found.find((each) => each !== undefined && each !== '')?.size ?? 0
    })
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  close(): void {
    for (const segment of this.#segments.values()) segment.close()
    this.#segments.clear()
    this.#openings = []
  }
}

function rangesOf(
  manifest: Manifest,
  range: (listed: ManifestSegment) => SegmentRange,
): HistoryRanges {
  const of = (stage: HistoryStage): SegmentRange[] => segmentsOf(manifest, stage).map(range)
  return { blocks: of('blocks'), traces: of('traces') }
}

/** Throws `store-failed` where a segment is not the one that the manifest lists. */
function checkListed(segment: Segment, { from, until, name }: ManifestSegment): void {
  if (segment.name !== name)
    throw new Fault('store-failed', `segment has another content than its name: ${name}`)
  if (segment.index.from !== from || segment.index.until !== until)
    throw new Fault('store-failed', `segment is of other heights than it is listed for: ${name}`)
}
