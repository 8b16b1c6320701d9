/** The frozen history of one open store: where its segments lie, and which are open. */

import { Fault, faultIn, faultOf } from '../../core/fault.ts'
import type { KeyKind, Reader } from '../engine/database.ts'
import type { Layouts } from '../migrations/migrations.ts'
import type { HistoryStage, Table } from '../schema/table.ts'
import { isDamage } from '../sums/pages.ts'
import {
  type DirectorySet,
  fileAt,
  filesByStage,
  type Heights,
  pieceOfPlaces,
  placesQuestion,
  type StageFiles,
  within,
} from './directory.ts'
import {
  isManifestText,
  type Manifest,
  type ManifestSegment,
  parseManifest,
  readManifest,
} from './manifest.ts'
import { OpenSegments, SegmentMissing } from './open-segments.ts'
import { checkName, stampOf } from './segment-bytes.ts'
import type { SegmentCache } from './segment-cache.ts'
import type { SegmentFile } from './segment-file.ts'
import { SegmentFolder } from './segment-folder.ts'
import type { SegmentSchema } from './segment-schema.ts'

declare module '../engine/database.ts' {
  // Declared here, because engines know no segments.
  interface Reader {
    /** The segments that it reads besides its tables; absent where none of it freezes. */
    readonly history?: History
    /** {@link History.problems} of every server that it is read from. */
    readonly historyProblems?: () => Promise<readonly string[]>
  }
}

/** The state in which a segment was looked at last, and what was wrong with it. */
type Looked = { readonly state: string; readonly problem: string | undefined }

/** Longest that work beside questions waits for a file of a bucket. */
const patienceMs = 600_000

/** Keys of one kind, few; the parts of each. */
export type KeyValues = { readonly of: KeyKind; readonly values: readonly (readonly number[])[] }

/** Opens a segment for the query that reads it. */
export type OpenSegment = (segment: ManifestSegment) => SegmentFile

/** Segments of a store. */
export class History {
  readonly folder: SegmentFolder
  /** Most bytes of a merged file; absent where one may be of any size. */
  readonly fileBytes: number | undefined
  readonly #below: number
  readonly #cache: SegmentCache | undefined
  readonly #open: OpenSegments
  #looked: ReadonlyMap<string, Looked> = new Map()
  #known = parseManifest('')
  #files = filesByStage(this.#known)
  #isOfThisTurn = false

  /**
   * Segments of a store with `tables` lie in `folder`, or come from a bucket into `cache`, which keeps them there;
   * those beyond height `below` are left out.
   */
  constructor(
    folder: string,
    tables: readonly Table[],
    {
      below = Number.POSITIVE_INFINITY,
      cache,
      layouts,
    }: {
      readonly below?: number
      readonly cache?: SegmentCache | undefined
      readonly layouts?: Layouts | undefined
    } = {},
  ) {
    this.folder = new SegmentFolder(folder, cache)
    this.fileBytes = cache?.fileBytes
    this.#below = below
    this.#cache = cache
    this.#open = new OpenSegments(this.folder, { tables, cache, layouts })
  }

  /** The manifest that was read last. */
  get known(): Manifest {
    return this.#known
  }

  /** The manifest as `reader` sees it. Cost: one look-up by key. */
  async manifest(reader: Reader): Promise<Manifest> {
    if (!(await isManifestText(reader, this.#known.text))) {
      const read = await readManifest(reader)
      const segments = read.segments.filter(({ until }) => until <= this.#below)
      const directory = read.directory.filter(({ until }) => until <= this.#below)
      this.#known = { ...read, segments, directory }
      this.#files = filesByStage(this.#known)
      this.#isOfThisTurn = false
      this.#open.settle(this.#known)
    }
    return this.#known
  }

  /**
   * As {@link History.manifest}, read once in a turn of the thread. For what lies in segments alone: it was so
   * when the turn began.
   */
  async thisTurn(reader: Reader): Promise<Manifest> {
    if (this.#isOfThisTurn) return this.#known
    const manifest = await this.manifest(reader)
    this.#isOfThisTurn = true
    setImmediate(() => (this.#isOfThisTurn = false))
    return manifest
  }

  /** The tables of the segments of a stage. */
  schemaOf(stage: HistoryStage): SegmentSchema {
    return this.#open.schemaOf({ stage })
  }

  /**
   * Does `work` on the segments of `manifest`, which stay open until its end; it is done again once
   * a missing segment was fetched, while the one behind it in `order` is fetched, too. Returns `undefined` where a merge replaced a segment: the caller
   * begins anew with the next manifest. Throws what `work` throws, `store-failed` for a missing or
   * damaged segment, `not-ready` for one that cannot be fetched now.
   */
  async using<T>(
    reader: Reader,
    manifest: Manifest,
    work: (open: OpenSegment) => T,
    order: readonly ManifestSegment[] = [],
  ): Promise<Awaited<T> | undefined> {
    // Open until the end: where there is room for fewer than are needed, each would be fetched for ever.
    const used: SegmentFile[] = []
    const open = (segment: ManifestSegment): SegmentFile => {
      const file = this.#open.open(segment, this.#known)
      file.users++
      used.push(file)
      return file
    }
    try {
      for (let mayGoOn = true; mayGoOn;)
        try {
          return await work(open)
        } catch (error) {
          mayGoOn = await this.#mayGoOn(reader, { manifest, error, order, last: used.at(-1) })
        }
      return undefined
    } finally {
      this.#open.release(used, this.#known)
    }
  }

  /**
   * Returns whether work that failed may be done again with the same manifest: the segment that it lacked is
   * here now, or a damaged one that was fetched is gone. Throws what no other attempt mends.
   */
  async #mayGoOn(
    reader: Reader,
    of: {
      readonly manifest: Manifest
      readonly error: unknown
      readonly order: readonly ManifestSegment[]
      readonly last: SegmentFile | undefined
    },
  ): Promise<boolean> {
    const { manifest, error, order, last } = of
    if (error instanceof SegmentMissing) {
      this.#fetchAhead(order[order.indexOf(error.segment) + 1])
      return this.#isObtained(reader, manifest, error.segment)
    }
    if (last === undefined || !isDamage(error) || this.#cache === undefined) throw error
    this.#open.forget(last.name)
    this.#cache.remove(last.name)
    return true
  }

  /** The segment of a stage with a height, by the manifest that was read last. */
  fileOf(stage: HistoryStage, height: number): ManifestSegment | undefined {
    return fileAt(this.#files[stage].segments, height)
  }

  /** The files of a stage of the manifest that was read last. */
  filesOf(stage: HistoryStage): StageFiles {
    return this.#files[stage]
  }

  /**
   * Segments of some `heights` that may have rows of a key, by the first of the sets of the `directory` that has any, in order of
   * height; and the number of sets that say so, those before it too. Of a set that cannot be read all segments are given.
   * `undefined` where the list of segments changed meanwhile.
   */
  async having(
    reader: Reader,
    manifest: Manifest,
    of: {
      readonly directory: readonly DirectorySet[]
      readonly heights: Heights
      readonly keys: KeyValues
    },
  ): Promise<{ readonly segments: readonly ManifestSegment[]; readonly read: number } | undefined> {
    const { directory, heights, keys } = of
    const segmentsIn = ({ stage, from, until }: DirectorySet): readonly ManifestSegment[] =>
      within(this.#files[stage].segments, {
        from: Math.max(from, heights.from),
        until: Math.min(until, heights.until),
      })
    try {
      return await this.using(reader, manifest, (open) => {
        for (const [at, each] of directory.entries()) {
          const segments = havingKeys(open, each, { segments: segmentsIn(each), keys })
          if (segments.length > 0) return { segments, read: at + 1 }
        }
        return { segments: [], read: directory.length }
      })
    } catch (error) {
      // One that only comes late is waited for: to fetch all segments in its place would take longer.
      if (faultOf(error)?.code !== 'store-failed') throw error
      const [first] = directory
      if (directory.length > 1 && first !== undefined)
        return this.having(reader, manifest, { ...of, directory: [first] })
      return { segments: first === undefined ? [] : segmentsIn(first), read: 1 }
    }
  }

  /** The segments of the store, open until `release`, for work that takes longer than a merge. */
  async hold(
    reader: Reader,
  ): Promise<{ readonly manifest: Manifest; readonly release: () => void }> {
    for (;;) {
      const manifest = await this.manifest(reader)
      const files: SegmentFile[] = []
      const release = (): void => this.#open.release(files, this.#known)
      try {
        for (const segment of this.#cache === undefined ? manifest.segments : []) {
          const file = await this.file(segment)
          file.users++
          files.push(file)
        }
        return { manifest, release }
      } catch (error) {
        release()
        if ((await this.manifest(reader)).text === manifest.text) throw error
      }
    }
  }

  /** A segment, open until another manifest is read. Throws `store-failed`, `not-ready` as {@link History.using}. */
  async file(segment: ManifestSegment): Promise<SegmentFile> {
    for (let mayComeAgain = true; ; mayComeAgain = false) {
      await this.obtain(segment)
      try {
        return this.#open.open(segment, this.#known)
      } catch (error) {
        // A damaged file of a bucket is gone from this disk now.
        if (!(error instanceof SegmentMissing)) throw error
        if (!mayComeAgain) throw await this.#missing(segment)
      }
    }
  }

  /** Does `work` on a segment, which stays open until its end. Throws as {@link History.file}. */
  async reading<T>(segment: ManifestSegment, work: (file: SegmentFile) => Promise<T>): Promise<T> {
    const file = await this.file(segment)
    file.users++
    try {
      return await work(file)
    } finally {
      this.#open.release([file], this.#known)
    }
  }

  /**
   * Compares the file of a segment with its name. Of a bucket a damaged file of this disk is no damage: it goes, and
   * what is not here is fetched where `fetches` says so, else only looked for. Throws `store-failed` for a segment that
   * is damaged or missing, `not-ready` where the bucket does not give it now. `pause` as in {@link checkName}.
   */
  async check(
    segment: ManifestSegment,
    { fetches, pause }: { readonly fetches: boolean; readonly pause?: () => Promise<unknown> },
  ): Promise<void> {
    const { name } = segment
    const cache = this.#cache
    if (cache === undefined) return checkName(this.folder.pathOf(name), name, pause)
    if (cache.isHere(name)) {
      const isWhole = await checkName(this.folder.pathOf(name), name, pause).then(
        () => true,
        (error: unknown) => {
          faultIn(error)
          return false
        },
      )
      if (isWhole) return
      this.dropCopies([segment])
    }
    // What is fetched is compared before it lies here.
    if (fetches) await this.obtain(segment)
    else await cache.lookFor(name)
  }

  /** Has files of a bucket fetched again that may be damaged on this disk. */
  dropCopies(segments: readonly ManifestSegment[]): void {
    for (const { name } of this.#cache === undefined ? [] : segments) {
      this.#open.forget(name)
      this.#cache?.remove(name)
    }
  }

  /**
   * Has the file of a segment on this disk, for work that may wait for a bucket; returns its path. Throws
   * `store-failed` where it is missing, `not-ready` where the bucket does not give it now.
   */
  async obtain(segment: ManifestSegment): Promise<string> {
    const { name } = segment
    const path = this.folder.pathOf(name)
    const isHere = this.#cache?.isHere(name) ?? stampOf(path) !== undefined
    if (!isHere && this.#cache === undefined) throw await this.#missing(segment)
    if (!isHere) await this.#cache?.need(segment, this.#open.schemaOf(segment), patienceMs)
    return path
  }

  /**
   * Problems of the folder and the files of the store, as far as opening them tells, each of which is
   * opened once as it is. Empty where nothing is. Of a bucket that is whether the last file could be had. Throws
   * `store-failed` where the list of segments is damaged.
   */
  async problems(reader: Reader): Promise<readonly string[]> {
    const { segments, directory } = await this.manifest(reader)
    if (this.#cache !== undefined) return problemOfCache(this.#cache, [...segments, ...directory])
    const folder = await this.folder.problem(this.#known)
    if (folder !== undefined) return [folder]
    const seen = new Map(segments.map((each) => [each.name, this.#lookedAt(each)]))
    this.#looked = seen
    return [...seen.values()].flatMap(({ problem }) => problem ?? [])
  }

  #lookedAt(segment: ManifestSegment): Looked {
    const path = this.folder.pathOf(segment.name)
    const state = JSON.stringify([segment, stampOf(path)])
    const known = this.#looked.get(segment.name)
    if (known?.state === state) return known
    try {
      this.#open.read(path, segment, this.#known).close()
      return { state, problem: undefined }
    } catch (error) {
      return { state, problem: faultIn(error).message }
    }
  }

  /** Begins to fetch a segment that is not here: whoever reads on needs it next. */
  #fetchAhead(segment: ManifestSegment | undefined): void {
    const cache = this.#cache
    if (segment === undefined || cache === undefined) return
    if (stampOf(this.folder.pathOf(segment.name)) !== undefined) return
    // Who needs it hears why it cannot be had.
    cache.need(segment, this.#open.schemaOf(segment), patienceMs).catch(() => undefined)
  }

  /** Returns whether a segment that was not here is here now; false where a merge replaced it. */
  async #isObtained(
    reader: Reader,
    { text }: Manifest,
    segment: ManifestSegment,
  ): Promise<boolean> {
    try {
      if (this.#cache === undefined) throw await this.#missing(segment)
      await this.#cache.need(segment, this.#open.schemaOf(segment))
      return true
    } catch (error) {
      if (faultOf(error) !== undefined && (await this.manifest(reader)).text !== text) return false
      throw error
    }
  }

  async #missing({ name }: ManifestSegment): Promise<Fault> {
    const problem = await this.folder.problem(this.#known)
    return new Fault('store-failed', problem ?? `segment is missing: ${this.folder.pathOf(name)}`)
  }

  /**
   * Puts the whole file at `path` in place of segment `name`, which is damaged or missing; who marked it as damaged
   * takes the mark away. Throws `store-failed` where its bytes are not those of that segment; it stays then.
   */
  async adopt(path: string, name: string): Promise<void> {
    await checkName(path, name)
    this.#open.forget(name)
    await this.folder.place(path, name, true)
  }

  /** Bytes of the segments of the manifest that was read last, as far as they are here. */
  sizeBytes(): number {
    const { segments, directory } = this.#known
    const sizes = [...segments, ...directory].map(({ name }) => stampOf(this.folder.pathOf(name)))
    return sizes.reduce((sum, stamp) => sum + (stamp?.size ?? 0), 0)
  }

  close(): void {
    this.#open.close()
  }
}

/** Those of `segments` that a set of the directory has under some keys, in order of height. */
function havingKeys(
  open: OpenSegment,
  set: DirectorySet,
  of: { readonly segments: readonly ManifestSegment[]; readonly keys: KeyValues },
): readonly ManifestSegment[] {
  const { segments, keys } = of
  const [first, last] = [segments[0], segments.at(-1)]
  if (first === undefined || last === undefined) return []
  const found = keys.values.flatMap((key) =>
    open(pieceOfPlaces(set, keys.of, key))
      .all(placesQuestion[keys.of], [...key, first.from, last.until])
      .map(([height]) => height),
  )
  if (keys.values.length > 1) found.sort((one, other) => one - other)
  return [...new Set(found.flatMap((height) => fileAt(segments, height) ?? []))]
}

/** Why the last file could not be had, of those that are listed. It is fetched again. */
function problemOfCache(cache: SegmentCache, listed: readonly ManifestSegment[]): string[] {
  const { problem } = cache
  if (problem === undefined) return []
  if (!listed.some(({ name }) => name === problem.name)) {
    cache.dropProblem()
    return []
  }
  cache.tryAgain()
  return [problem.why]
}
