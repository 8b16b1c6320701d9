/** The frozen history of one open store: where its segments lie, and which are open. */

import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'

import { Fault, faultIn, faultOf } from '../../core/fault.ts'
import type { Reader, Writer } from '../engine/database.ts'
import { type HistoryStage, stageOf, type Table } from '../engine/table.ts'
import { isDamage } from '../sums/pages.ts'
import type { FetchedSegments } from './fetched-segments.ts'
import {
  type Manifest,
  type ManifestSegment,
  manifestText,
  parseManifest,
  readManifest,
  segmentsOf,
} from './manifest.ts'
import {
  checkName,
  draftEnding,
  onDisk,
  putFile,
  schemaOf,
  segmentEnding,
  SegmentFile,
  stampOf,
} from './segment-file.ts'

/** The segments that `reader` reads besides its tables; `undefined` where none of it freezes. */
export function historyOf(reader: Reader): History | undefined {
  return reader.history instanceof History ? reader.history : undefined
}

/**
 * A file without a name in the manifest stays this long. That is longer than any lease, so that no writer that was
 * replaced can still believe what it read before; and a standby that becomes the primary without the last
 * commits finds the files that a merge had replaced.
 */
export const keptUnnamedMs = 300_000

/** A file that no manifest names, since when that is known, and what tells it from another of its name. */
type Unnamed = { readonly stamp: string; readonly sinceMs: number; readonly isOverdue: boolean }

/** The file that says which folder of segments it lies in. */
export const identityName = 'identity'

/** A question needs a segment that is not here. */
class SegmentMissing extends Error {
  readonly segment: ManifestSegment

  constructor(segment: ManifestSegment) {
    super(`segment is not here: ${segment.name}`)
    this.segment = segment
  }
}

/** The state in which a segment was looked at last, and what was wrong with it. */
type Looked = { readonly state: string; readonly problem: string | undefined }

/** Between two looks whether an open file was changed. */
const lookAgainMs = 1_000

/**
 * Returns whether the file that is open was not written to. Its name may be gone or another file's by now: what is open
 * stays what it was.
 */
function isAsOpened(file: SegmentFile): boolean {
  const now = performance.now()
  if (now - file.lookedMs < lookAgainMs) return true
  file.lookedMs = now
  const { ino, size, mtimeMs } = file.stamp
  const found = stampOf(file.path)
  return found?.ino !== ino || (found.size === size && found.mtimeMs === mtimeMs)
}

/** Opens a segment for the query that reads it. */
export type OpenSegment = (segment: ManifestSegment) => SegmentFile

/** Segments of a store. */
export class History {
  readonly folder: string
  readonly #tables: readonly Table[]
  readonly #below: number
  readonly #fetched: FetchedSegments | undefined
  readonly #open = new Map<string, SegmentFile>()
  /** True where every open file is one of the manifest. */
  #isSettled = true
  readonly #schemas = new Map<HistoryStage, string>()
  /** Files that this process is writing. */
  readonly #drafts = new Set<string>()
  #unnamed = new Map<string, Unnamed>()
  #looked: ReadonlyMap<string, Looked> = new Map()
  #known = parseManifest('')
  #isOfThisTurn = false

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
    }: { readonly below?: number; readonly fetched?: FetchedSegments | undefined } = {},
  ) {
    this.folder = folder
    this.#tables = tables
    this.#below = below
    this.#fetched = fetched
  }

  /** The manifest that was read last. */
  get known(): Manifest {
    return this.#known
  }

  /** The manifest as `reader` sees it. Cost: one look-up by key. */
  async manifest(reader: Reader): Promise<Manifest> {
    const text = await manifestText(reader)
    if (text !== this.#known.text) {
      const read = parseManifest(text)
      const segments = read.segments.filter(({ until }) => until <= this.#below)
      this.#known = { ...read, segments }
      this.#isSettled = false
      this.#isOfThisTurn = false
      this.#closeUnused()
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

  /** Tables of a stage, in the order in which segments have them. */
  tablesOf(stage: HistoryStage): readonly Table[] {
    return this.#tables.filter((table) => stageOf(table) === stage)
  }

  /**
   * Does `work` on the segments of `manifest`, which stay open until its end; it is done again once
   * a missing segment was fetched. Returns `undefined` where a merge replaced a segment: the caller
   * begins anew with the next manifest. Throws what `work` throws, `store-failed` for a missing or
   * damaged segment, `not-ready` for one that cannot be fetched now.
   */
  async using<T>(
    reader: Reader,
    manifest: Manifest,
    work: (open: OpenSegment) => T,
  ): Promise<Awaited<T> | undefined> {
    // Open until the end: where there is room for fewer than are needed, each would be fetched for ever.
    const used: SegmentFile[] = []
    const open = (segment: ManifestSegment): SegmentFile => {
      const file = this.#opened(segment)
      file.users++
      used.push(file)
      return file
    }
    try {
      for (let mayGoOn = true; mayGoOn;)
        try {
          return await work(open)
        } catch (error) {
          mayGoOn = await this.#mayGoOn(reader, { manifest, error, last: used.at(-1) })
        }
      return undefined
    } finally {
      this.#release(used)
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
      readonly last: SegmentFile | undefined
    },
  ): Promise<boolean> {
    const { manifest, error, last } = of
    if (error instanceof SegmentMissing) return this.#isObtained(reader, manifest, error.segment)
    if (last === undefined || !isDamage(error) || this.#fetched?.pathOf(last.name) !== last.path)
      throw error
    this.#open.delete(last.name)
    this.#fetched.remove(last.name)
    return true
  }

  /** The segments of the store, open until `release`, for work that takes longer than a merge. */
  async hold(
    reader: Reader,
  ): Promise<{ readonly manifest: Manifest; readonly release: () => void }> {
    for (;;) {
      const manifest = await this.manifest(reader)
      const files: SegmentFile[] = []
      const release = (): void => this.#release(files)
      try {
        for (const segment of this.#fetched === undefined ? manifest.segments : []) {
          const file = this.file(segment)
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

  /** A segment that is here, open until another manifest is read. Throws `store-failed`. */
  file(segment: ManifestSegment): SegmentFile {
    try {
      return this.#opened(segment)
    } catch (error) {
      throw error instanceof SegmentMissing ? this.#missing(segment) : error
    }
  }

  #opened(segment: ManifestSegment): SegmentFile {
    const { name, isDamaged } = segment
    const known = this.#open.get(name)
    if (known !== undefined && isDamaged !== true && isAsOpened(known)) return known
    this.#open.delete(name)
    if (known?.users === 0) known.close()
    const own = this.pathOf(name)
    const path = stampOf(own) === undefined ? this.#fetched?.find(name) : own
    if (path === undefined) throw new SegmentMissing(segment)
    try {
      const file = this.#read(path, segment)
      this.#open.set(name, file)
      return file
    } catch (error) {
      if (path === own || !isDamage(error)) throw error
      // It is fetched again.
      this.#fetched?.remove(name)
      throw new SegmentMissing(segment)
    }
  }

  /** Opens a file that is what the manifest says, as far as opening tells. Throws `store-failed`. */
  #read(path: string, segment: ManifestSegment): SegmentFile {
    const { stage, from, until, isDamaged } = segment
    if (isDamaged === true)
      throw new Fault('store-failed', `segment has other bytes than were written: ${path}`)
    const file = this.#withTables(path, segment)
    try {
      const { first, last } = file.places(this.tablesOf(stage))
      // Blocks without internal transactions have no row in the file of traces.
      const isEmpty = stage === 'traces' && last === 0
      const isOfRange =
        stage === 'blocks' ? first === from && last === until - 1 : first >= from && last < until
      if (!isOfRange && !isEmpty)
        throw new Fault(
          'store-failed',
          `segment is of other blocks than ${from} to ${until - 1}: ${path}`,
        )
      if (stage === 'blocks' && this.#isOfOtherChain(file, segment))
        throw new Fault('store-failed', `segment does not continue those beside it: ${path}`)
      return file
    } catch (error) {
      file.close()
      throw error
    }
  }

  #withTables(path: string, { name, stage }: ManifestSegment): SegmentFile {
    const schema = this.#schemas.get(stage) ?? schemaOf(this.tablesOf(stage))
    this.#schemas.set(stage, schema)
    return new SegmentFile(path, name, schema)
  }

  /** Returns whether the numbers of its transactions fit none of the neighbours that can be read. */
  #isOfOtherChain(file: SegmentFile, { from, until }: ManifestSegment): boolean {
    const own = file.transactions()
    const fits = segmentsOf(this.#known, 'blocks').flatMap((each) => {
      if (each.until !== from && each.from !== until) return []
      let beside: SegmentFile | undefined
      try {
        beside = this.#withTables(this.pathOf(each.name), each)
        const { first, end } = beside.transactions()
        return each.until === from ? end === own.first : first === own.end
      } catch (error) {
        if (faultOf(error) === undefined) throw error
        return []
      } finally {
        beside?.close()
      }
    })
    return fits.length > 0 && !fits.includes(true)
  }

  /**
   * Problems of the folder and the files of the store, as far as opening them tells, each of which is
   * opened once as it is. Empty where nothing is, and where segments are fetched. Throws `store-failed` where the
   * list of segments is damaged.
   */
  async problems(reader: Reader): Promise<readonly string[]> {
    const { segments } = await this.manifest(reader)
    if (this.#fetched !== undefined) return []
    const folder = this.problem()
    if (folder !== undefined) return [folder]
    const seen = new Map(segments.map((each) => [each.name, this.#lookedAt(each)]))
    this.#looked = seen
    return [...seen.values()].flatMap(({ problem }) => problem ?? [])
  }

  #lookedAt(segment: ManifestSegment): Looked {
    const path = this.pathOf(segment.name)
    const state = JSON.stringify([segment, stampOf(path)])
    const known = this.#looked.get(segment.name)
    if (known?.state === state) return known
    try {
      this.#read(path, segment).close()
      return { state, problem: undefined }
    } catch (error) {
      return { state, problem: faultIn(error).message }
    }
  }

  /** Returns whether a segment that was not here is here now; false where a merge replaced it. */
  async #isObtained(
    reader: Reader,
    { text }: Manifest,
    segment: ManifestSegment,
  ): Promise<boolean> {
    try {
      if (this.#fetched === undefined) throw this.#missing(segment)
      await this.#fetched.need(segment, this.tablesOf(segment.stage))
      return true
    } catch (error) {
      if (faultOf(error) !== undefined && (await this.manifest(reader)).text !== text) return false
      throw error
    }
  }

  #missing({ name }: ManifestSegment): Fault {
    const problem = this.problem()
    return new Fault('store-failed', problem ?? `segment is missing: ${this.pathOf(name)}`)
  }

  /**
   * Why this folder is not the one that the store was written with; `undefined` where it is. A disk that
   * is not mounted leaves another folder behind.
   */
  problem(): string | undefined {
    const { folder } = this.#known
    if (folder === '' || this.#fetched !== undefined || this.#identity() === folder)
      return undefined
    return this.#otherFolder()
  }

  #otherFolder(): string {
    return `folder of segments is not the one that the store was written with: ${this.folder}`
  }

  #identity(): string | undefined {
    const path = join(this.folder, identityName)
    return existsSync(path) ? onDisk(() => readFileSync(path, 'utf8')).trim() : undefined
  }

  /**
   * The identity of the folder, which a store gets with its first segment. Throws `store-failed` where
   * `manifest` names another one.
   */
  identity(manifest: Pick<Manifest, 'folder'>): string {
    const known = this.#identity()
    if (manifest.folder !== '' && manifest.folder !== known)
      throw new Fault('store-failed', this.#otherFolder())
    if (known !== undefined) return known
    const made = randomUUID()
    putIdentity(this.folder, made)
    return made
  }

  /** Makes a folder that was lost the one of the store again. Throws as {@link History.identity}. */
  mendIdentity({ folder }: Pick<Manifest, 'folder'>): void {
    if (folder !== '' && this.#identity() === undefined) putIdentity(this.folder, folder)
    this.identity({ folder })
  }

  #release(files: readonly SegmentFile[]): void {
    for (const file of files)
      if (--file.users === 0 && this.#open.get(file.name) !== file) file.close()
    this.#closeUnused()
  }

  #closeUnused(): void {
    // Nearly always every open file is one of the manifest.
    if (this.#isSettled && this.#fetched === undefined) return
    this.#isSettled = true
    const named = new Set(this.#known.segments.map(({ name }) => name))
    for (const [name, file] of this.#open) {
      const isRemoved = this.#fetched !== undefined && !existsSync(file.path)
      if (named.has(name) && !isRemoved) continue
      if (file.users > 0) this.#isSettled = false
      else {
        this.#open.delete(name)
        file.close()
      }
    }
  }

  /** The file of a segment in the folder of the store. */
  pathOf(name: string): string {
    return join(this.folder, name + segmentEnding)
  }

  /**
   * A new file to write a segment into, under a unique name; {@link History.drafted} says that it
   * is finished or abandoned. Throws as {@link History.identity}.
   */
  draft(manifest: Pick<Manifest, 'folder'>): string {
    this.identity(manifest)
    const file = `${randomUUID()}${draftEnding}`
    this.#drafts.add(file)
    return join(this.folder, file)
  }

  /** The file of {@link History.draft} is not written any more: it goes where it has no other name yet. */
  drafted(path: string): void {
    rmSync(path, { force: true })
    this.#drafts.delete(basename(path))
  }

  /** Gives a whole draft the name of its content. Throws `store-full`, `store-failed`. */
  place(draft: string, name: string): void {
    putFile(draft, this.pathOf(name))
  }

  /**
   * Puts the whole file at `path` in place of segment `name`, which is damaged or missing; who marked it as damaged
   * takes the mark away. Throws `store-failed` where its bytes are not those of that segment; it stays then.
   */
  async adopt(path: string, name: string): Promise<void> {
    await checkName(path, name)
    const known = this.#open.get(name)
    this.#open.delete(name)
    if (known?.users === 0) known.close()
    this.place(path, name)
  }

  /**
   * Looks for files that no manifest names and no process writes: those of killed and replaced processes, and
   * segments that a merge replaced. Returns whether some of them may go: they were there for
   * {@link keptUnnamedMs}, unchanged and without a name.
   */
  async hasOverdue(reader: Reader, nowMs: number): Promise<boolean> {
    const unnamed = new Map<string, Unnamed>()
    for (const [file, stamp] of this.#unnamedNow(await readManifest(reader))) {
      const known = this.#unnamed.get(file)
      const sinceMs = known?.stamp === stamp ? known.sinceMs : nowMs
      unnamed.set(file, { stamp, sinceMs, isOverdue: nowMs - sinceMs >= keptUnnamedMs })
    }
    this.#unnamed = unnamed
    return [...unnamed.values()].some(({ isOverdue }) => isOverdue)
  }

  /**
   * Removes what {@link History.hasOverdue} found. Nothing else removes files of a folder that a store is
   * written with. Runs in a transaction that holds the lease, and looks at the manifest in it and then at
   * the files: one that another writer has placed again meanwhile is a new file, and stays.
   */
  async removeOverdue(writer: Writer): Promise<void> {
    if (this.#unnamed.size === 0) return
    for (const [file, stamp] of this.#unnamedNow(await readManifest(writer))) {
      const known = this.#unnamed.get(file)
      if (known?.isOverdue === true && known.stamp === stamp)
        rmSync(join(this.folder, file), { force: true })
    }
  }

  /** Files that `manifest` does not name and this process does not write, each with what tells it from a later one. */
  #unnamedNow(manifest: Manifest): [file: string, stamp: string][] {
    if (!existsSync(this.folder)) return []
    if (manifest.folder !== '' && this.#identity() !== manifest.folder) return []
    const named = new Set(manifest.segments.map(({ name }) => name + segmentEnding))
    return onDisk(() => readdirSync(this.folder)).flatMap((file) => {
      const isOurs = file.endsWith(segmentEnding) || file.endsWith(draftEnding)
      if (!isOurs || named.has(file) || this.#drafts.has(file)) return []
      const found = stampOf(join(this.folder, file))
      return found === undefined ? [] : [[file, `${found.ino} ${found.mtimeMs} ${found.size}`]]
    })
  }

  /** Bytes of the segments of the manifest that was read last. */
  sizeBytes(): number {
    return this.#known.segments.reduce((sum, { name }) => {
      const paths = [this.pathOf(name), this.#fetched?.pathOf(name)]
      const found = paths.map((path) => path && statSync(path, { throwIfNoEntry: false })?.size)
      return sum + Number(found.find((size) => typeof size === 'number') ?? 0)
    }, 0)
  }

  close(): void {
    for (const file of this.#open.values()) file.close()
    this.#open.clear()
  }
}

/** Makes `folder` the one of an identity. Throws `store-full`, `store-failed`. */
export function putIdentity(folder: string, identity: string): void {
  const path = join(folder, identityName)
  onDisk(() => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(`${path}${draftEnding}`, `${identity}\n`)
  })
  putFile(`${path}${draftEnding}`, path)
}
