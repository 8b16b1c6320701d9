/**
 * Where the segments of a store are kept, a folder or a bucket: which one it is, the files that are being written,
 * and those without a name.
 */

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

import { Fault } from '../../core/fault.ts'
import type { Reader, Writer } from '../engine/database.ts'
import { type Manifest, readManifest } from './manifest.ts'
import {
  draftEnding,
  identityName,
  onDisk,
  putFile,
  segmentEnding,
  stampOf,
} from './segment-bytes.ts'
import type { SegmentCache } from './segment-cache.ts'

/**
 * A file without a name in the manifest stays this long. That is longer than any lease, so that no writer that was
 * replaced can still believe what it read before; and a standby that becomes the primary without the last
 * commits finds the files that a merge had replaced.
 */
export const keptUnnamedMs = 300_000

/** In a bucket, where space is cheap and a request may be late, it stays for a day. */
const keptUnnamedInBucketMs = 86_400_000
/** All files of a bucket are listed at most this often: a thousand of them are one request. */
const listEveryMs = 3_600_000

/** A file that no manifest names, since when that is known, and what tells it from another of its name. */
type Unnamed = { readonly stamp: string; readonly sinceMs: number; readonly isOverdue: boolean }

/** The place of its segments by a store, which has some where there are no `segments`. */
type PlaceOfStore = Pick<Manifest, 'folder'> & Partial<Pick<Manifest, 'segments'>>

/** The files of the segments of one store. */
export class SegmentFolder {
  readonly path: string
  /** Files that this process is writing. */
  readonly #drafts = new Set<string>()
  readonly #cache: SegmentCache | undefined
  #unnamed = new Map<string, Unnamed>()
  #listedMs = Number.NEGATIVE_INFINITY

  /** Files lie in the folder at `path`; with a `cache` they are kept in its bucket, and are here as long as there is room. */
  constructor(path: string, cache?: SegmentCache) {
    this.path = path
    this.#cache = cache
  }

  /** The file of a segment. */
  pathOf(name: string): string {
    return join(this.path, name + segmentEnding)
  }

  /**
   * Why this is not `folder`, the place that the store was written with; `undefined` where it is, or where the store has no
   * segments yet and nobody else has the place. A disk that is not mounted leaves another folder behind. Throws
   * `store-failed` where a bucket does not say.
   */
  async problem({ folder, segments }: PlaceOfStore): Promise<string | undefined> {
    if (folder === '') return undefined
    const identity = await this.#identity()
    if (identity === folder) return undefined
    const place = this.#cache === undefined ? 'folder of segments' : 'bucket'
    const where = this.#cache?.placeName ?? this.path
    if (segments?.length !== 0)
      return `${place} is not the one that the store was written with: ${where}`
    // The sweep of each would take away the files of the other.
    return identity === undefined
      ? undefined
      : `${place} has the history of another store, which stays as it is; set index.store to another one, or remove what nobody uses: ${where}`
  }

  async #identity(): Promise<string | undefined> {
    if (this.#cache !== undefined) return this.#cache.identity()
    const path = join(this.path, identityName)
    return existsSync(path) ? onDisk(() => readFileSync(path, 'utf8')).trim() : undefined
  }

  async #identify(made: string): Promise<string> {
    if (this.#cache !== undefined) return this.#cache.identify(made)
    putIdentity(this.path, made)
    return made
  }

  /**
   * The identity of the place, which it gets with the first segment of its store. Throws `store-failed` where
   * `manifest` names another one.
   */
  async identity(manifest: PlaceOfStore): Promise<string> {
    const problem = await this.problem(manifest)
    if (problem !== undefined) throw new Fault('store-failed', problem)
    const known = await this.#identity()
    if (known !== undefined) return known
    const { folder } = manifest
    const identity = await this.#identify(folder === '' ? randomUUID() : folder)
    // Another store may have been faster.
    const late = await this.problem({ ...manifest, folder: folder === '' ? identity : folder })
    if (late !== undefined) throw new Fault('store-failed', late)
    return identity
  }

  /** Makes a place that was lost the one of the store again. Throws as {@link SegmentFolder.identity}. */
  async mendIdentity({ folder }: Pick<Manifest, 'folder'>): Promise<void> {
    if (folder !== '' && (await this.#identity()) === undefined) await this.#identify(folder)
    await this.identity({ folder })
  }

  /**
   * A new file to write a segment into, under a unique name; {@link SegmentFolder.drafted} says that it
   * is finished or abandoned. Throws as {@link SegmentFolder.identity}.
   */
  async draft(manifest: PlaceOfStore): Promise<string> {
    await this.identity(manifest)
    // A folder has one by now; a bucket's files are drafted on this disk.
    if (this.#cache !== undefined)
      onDisk(() => mkdirSync(this.path, { recursive: true, mode: 0o700 }))
    const file = `${randomUUID()}${draftEnding}`
    this.#drafts.add(file)
    return join(this.path, file)
  }

  /** The file of {@link SegmentFolder.draft} is not written any more: it goes where it has no other name yet. */
  drafted(path: string): void {
    rmSync(path, { force: true })
    this.#drafts.delete(basename(path))
  }

  /**
   * Gives a whole draft the name of its content, where it is kept; it `mends` the file of that name, if there is a
   * damaged one. Returns its bytes. Throws `store-full`, `store-failed`.
   */
  async place(draft: string, name: string, mends = false): Promise<number> {
    const bytes = onDisk(() => statSync(draft)).size
    if (this.#cache === undefined) putFile(draft, this.pathOf(name))
    else await this.#cache.place(draft, name, mends)
    return bytes
  }

  /**
   * Looks for files that no manifest names and no process writes: those of killed and replaced processes, and
   * segments that a merge replaced. Returns whether some of them may go: they were there for
   * {@link keptUnnamedMs}, in a bucket for a day, unchanged and without a name.
   */
  async hasOverdue(reader: Reader, nowMs: number): Promise<boolean> {
    const isBucket = this.#cache !== undefined
    if (isBucket && nowMs - this.#listedMs < listEveryMs) return false
    this.#listedMs = nowMs
    const graceMs = isBucket ? keptUnnamedInBucketMs : keptUnnamedMs
    const unnamed = new Map<string, Unnamed>()
    for (const [file, stamp] of await this.#unnamedNow(await readManifest(reader))) {
      const known = this.#unnamed.get(file)
      const sinceMs = known?.stamp === stamp ? known.sinceMs : nowMs
      unnamed.set(file, { stamp, sinceMs, isOverdue: nowMs - sinceMs >= graceMs })
    }
    this.#unnamed = unnamed
    return [...unnamed.values()].some(({ isOverdue }) => isOverdue)
  }

  /**
   * Removes what {@link SegmentFolder.hasOverdue} found. Nothing else removes files of a place that a store is
   * written with. Runs in a transaction that holds the lease, and looks at the manifest in it and then at
   * the files: one that another writer has placed again meanwhile is a new file, and stays.
   */
  async removeOverdue(writer: Writer): Promise<void> {
    if (![...this.#unnamed.values()].some(({ isOverdue }) => isOverdue)) return
    for (const [file, stamp] of await this.#unnamedNow(await readManifest(writer))) {
      const known = this.#unnamed.get(file)
      if (known?.isOverdue !== true || known.stamp !== stamp) continue
      if (this.#cache === undefined) rmSync(join(this.path, file), { force: true })
      else await this.#cache.removeKept(file)
    }
  }

  /** Removes all files of a store that is deleted. Throws `store-failed` where they are of another store. */
  async removeAll({ folder }: Pick<Manifest, 'folder'>): Promise<void> {
    // It never had any: what lies there is of another one.
    if (folder === '') return
    // Without one an earlier attempt ended there.
    if ((await this.#identity()) !== undefined) await this.identity({ folder })
    const files = [...(await this.#files())].map(([file]) => file)
    for (const file of [...files.filter((each) => each !== identityName), identityName]) {
      await this.#cache?.removeKept(file)
      rmSync(join(this.path, file), { force: true })
    }
    rmSync(this.path, { recursive: true, force: true })
  }

  /** Files that `manifest` does not name and this process does not write, each with what tells it from a later one. */
  async #unnamedNow(manifest: Manifest): Promise<[file: string, stamp: string][]> {
    if ((await this.problem(manifest)) !== undefined) return []
    const listed = [...manifest.segments, ...manifest.directory]
    const named = new Set(listed.map(({ name }) => name + segmentEnding))
    return [...(await this.#files())].filter(([file]) => {
      const isDraft = file.includes(draftEnding)
      if (named.has(file) || !(isDraft || file.endsWith(segmentEnding))) return false
      // SQLite writes files of its own beside a draft, which a killed process leaves as well.
      return !isDraft || ![...this.#drafts].some((draft) => file.startsWith(draft))
    })
  }

  /** All files, each with what tells it from a later one of its name. */
  async #files(): Promise<Iterable<[file: string, stamp: string]>> {
    if (this.#cache !== undefined) {
      const kept = [...(await this.#cache.list())]
      return kept.map(([file, { bytes, storedMs }]) => [file, `${storedMs} ${bytes}`])
    }
    if (!existsSync(this.path)) return []
    return onDisk(() => readdirSync(this.path)).flatMap((file) => {
      const found = stampOf(join(this.path, file))
      return found === undefined ? [] : [[file, `${found.ino} ${found.mtimeMs} ${found.size}`]]
    })
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
