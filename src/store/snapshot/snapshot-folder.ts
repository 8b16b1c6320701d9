/**
 * A folder of snapshots. They share their files, which lie there under the hash of their content:
 *
 *     firn-snapshots.json     says what the folder is
 *     snapshots/<id>.json     manifests, each written last
 *     files/<sha256>          tables of stores, keys
 *     segments/<store>/       segments
 *     part/                   what is being written
 */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, sep } from 'node:path'

import { Fault, faultOf } from '../../core/fault.ts'
import { isObject, jsonOf } from '../../core/json.ts'
import { isHeight } from '../history/manifest.ts'
import { hashOfFile, onDisk, putFile, segmentEnding } from '../history/segment-bytes.ts'
import { checkForeign } from '../history/segment-cache.ts'
import { ownSchema } from '../history/segment-schema.ts'
import { Claim } from '../sqlite/claim.ts'
import {
  manifestText,
  parseSnapshot,
  snapshotFormat,
  type SnapshotManifest,
  type StoredFile,
  type StoredSegment,
} from './snapshot-manifest.ts'

const markName = 'firn-snapshots.json'
const manifestEnding = '.json'

/** A snapshot of a folder; `problem` where its manifest cannot be read. */
export type ListedSnapshot = {
  readonly id: string
  readonly manifest?: SnapshotManifest
  readonly problem?: Fault
}

/**
 * A file of a snapshot: where it lies, its path in a data folder, and what throws where the file at a path is
 * another one.
 */
export type SnapshotFile = {
  readonly from: string
  readonly to: string
  readonly bytes: number
  readonly check: (path: string) => Promise<void>
}

/** A folder of snapshots, open. */
export class SnapshotFolder {
  readonly path: string
  /** Where its files lie by the words of an error: the folder itself, or the bucket whose files it has for a while. */
  readonly #place: string

  /** Throws `not-found` without a folder, `store-version` for a foreign one or one of a newer Firn. */
  constructor(path: string, place = path) {
    this.path = path
    this.#place = place
    if (!existsSync(path)) throw new Fault('not-found', `there are no snapshots: ${path}`)
    const mark = join(path, markName)
    const value = existsSync(mark) ? jsonOf(readFileSync(mark)) : undefined
    const format = isObject(value) ? value['format'] : undefined
    if (!isHeight(format) || format === 0)
      throw new Fault('store-version', `folder is not one of snapshots: ${path}`)
    if (format > snapshotFormat)
      throw new Fault('store-version', `snapshots are of a newer Firn: ${path}`)
  }

  /** Makes the folder where there is none. Throws `bad-config` for one that has other files. */
  static make(path: string, place = path): SnapshotFolder {
    const mark = join(path, markName)
    if (!existsSync(mark)) {
      onDisk(() => mkdirSync(path, { recursive: true, mode: 0o700 }))
      if (readdirSync(path).some((name) => name !== `${markName}.part`))
        throw new Fault(
          'bad-config',
          `snapshots need a folder of their own, and this one has other files: ${path}`,
        )
      putText(mark, `${JSON.stringify({ format: snapshotFormat })}\n`, `${mark}.part`)
    }
    return new SnapshotFolder(path, place)
  }

  /** Words about a file of the folder, with the place where it lies for good. */
  placed(words: string): string {
    return words.replaceAll(this.path, this.#place)
  }

  /** Takes the folder for one process; gives what ends that. Throws `lease-lost`. */
  claim(): () => void {
    const claim = new Claim(join(this.path, 'claim'), 'snapshots')
    if (!claim.take())
      throw new Fault('lease-lost', `another process takes a snapshot into: ${this.path}`)
    return () => claim.remove()
  }

  /** Snapshots by age, the oldest first. */
  list(): readonly ListedSnapshot[] {
    const folder = join(this.path, 'snapshots')
    const names = existsSync(folder) ? readdirSync(folder).toSorted() : []
    return names
      .filter((name) => name.endsWith(manifestEnding))
      .map((name) => {
        const id = name.slice(0, -manifestEnding.length)
        const path = this.manifestPath(id)
        try {
          return { id, manifest: parseSnapshot(readFileSync(path, 'utf8'), this.placed(path)) }
        } catch (error) {
          const problem = faultOf(error)
          if (problem === undefined) throw error
          return { id, problem }
        }
      })
  }

  /** The snapshot `id`, the newest one without. Throws `not-found`, and what its manifest is. */
  snapshot(id: string | undefined): SnapshotManifest & { readonly id: string } {
    const all = this.list()
    const found = id === undefined ? all.at(-1) : all.find((each) => each.id === id)
    if (found === undefined)
      throw new Fault('not-found', `there is no such snapshot in ${this.#place}: ${id ?? 'newest'}`)
    if (found.manifest === undefined) throw found.problem ?? new Fault('store-failed', found.id)
    return { id: found.id, ...found.manifest }
  }

  /** Writes a manifest: from here on there is a snapshot. */
  putManifest(id: string, manifest: SnapshotManifest): void {
    const part = join(this.emptyPart('manifest'), id + manifestEnding)
    putText(this.manifestPath(id), manifestText(manifest), part)
  }

  manifestPath(id: string): string {
    return join(this.path, 'snapshots', id + manifestEnding)
  }

  filePath({ sha256 }: Pick<StoredFile, 'sha256'>): string {
    return join(this.path, 'files', sha256)
  }

  segmentPath(store: string, { name }: Pick<StoredSegment, 'name'>): string {
    return join(this.path, 'segments', store, name + segmentEnding)
  }

  /** Path of a file below the folder, and its key below the prefix of a bucket. */
  keyOf(path: string): string {
    return relative(this.path, path).split(sep).join('/')
  }

  /** All files of a snapshot. */
  files({ stores, documents }: SnapshotManifest): SnapshotFile[] {
    const plain = (file: StoredFile, to: string): SnapshotFile => {
      const check = (path: string): Promise<void> => checkFile(path, file)
      return { from: this.filePath(file), to, bytes: file.bytes, check }
    }
    return [
      ...stores.flatMap(({ name, tables, segments }) => [
        plain(tables, `${name}.sqlite`),
        ...segments.map((segment): SnapshotFile => ({
          from: this.segmentPath(name, segment),
          to: join('segments', name, segment.name + segmentEnding),
          bytes: segment.bytes,
          check: (path) => checkForeign(path, segment.name, ownSchema(segment.stage)),
        })),
      ]),
      ...documents.map((file) => plain(file, file.path)),
    ]
  }

  /** An empty folder for files being written. */
  emptyPart(name: string): string {
    const part = join(this.path, 'part', name)
    rmSync(part, { recursive: true, force: true })
    onDisk(() => mkdirSync(part, { recursive: true, mode: 0o700 }))
    return part
  }

  removeParts(): void {
    rmSync(join(this.path, 'part'), { recursive: true, force: true })
  }

  /** Paths of the files that snapshots name; `undefined` where a manifest cannot be read. */
  named(): ReadonlySet<string> | undefined {
    const all = this.list()
    const manifests = all.flatMap(({ manifest }) => manifest ?? [])
    if (manifests.length < all.length) return undefined
    return new Set(manifests.flatMap((each) => this.files(each).map(({ from }) => from)))
  }

  /**
   * Removes files that no snapshot names; nothing where a manifest cannot be read, since it may
   * name any.
   */
  removeUnnamed(): void {
    const named = this.named()
    if (named === undefined) return
    for (const folder of ['files', 'segments']) {
      const path = join(this.path, folder)
      if (!existsSync(path)) continue
      for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
        const file = join(entry.parentPath, entry.name)
        if (entry.isFile() && !named.has(file)) rmSync(file)
      }
    }
  }
}

function putText(path: string, text: string, part: string): void {
  onDisk(() => writeFileSync(part, text, { mode: 0o600 }))
  putFile(part, path)
}

/** Hash and size of the file at `path`. Throws `store-failed`. */
export async function storedFile(path: string): Promise<StoredFile> {
  return { sha256: await hashOfFile(path), bytes: sizeOf(path) ?? 0 }
}

/** Throws `store-failed` where the file at `path` is not the one that is wanted. */
async function checkFile(path: string, wanted: StoredFile): Promise<void> {
  if (!existsSync(path)) throw new Fault('store-failed', `file of a snapshot is missing: ${path}`)
  const { sha256, bytes } = await storedFile(path)
  if (sha256 !== wanted.sha256 || bytes !== wanted.bytes)
    throw new Fault('store-failed', `file of a snapshot is cut off or altered: ${path}`)
}

/** Size of a file; `undefined` where there is none. */
export function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size
}
