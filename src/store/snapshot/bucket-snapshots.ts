/**
 * Snapshots in a bucket: the files of a folder of snapshots, under the same paths. Whoever takes or restores one has a
 * folder of this disk with the files of that snapshot alone.
 *
 * A manifest is put last. Files that no manifest names are removed a day after they were put: until then another process
 * may be about to name them.
 */

import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { Fault, faultIn } from '../../core/fault.ts'
import type { Bucket } from '../bucket/bucket.ts'
import { onDisk, putFile } from '../history/segment-bytes.ts'
import { type SnapshotFile, SnapshotFolder, sizeOf } from './snapshot-folder.ts'
import type { SnapshotManifest } from './snapshot-manifest.ts'

/** A file of a bucket: its bytes, and what throws where the file at a path is another one. */
type WantedFile = { readonly key: string } & Pick<SnapshotFile, 'bytes' | 'check'>

const dayMs = 86_400_000
/** A name of a manifest as this makes them; a bucket may have any key. */
const manifestName = /^[\w-]+\.json$/
const mostManifestBytes = 64 * 2 ** 20
/** A file that was put longer ago is put again: the sweep might remove it before it is named. */
const freshMs = dayMs / 2

/** The snapshots of a bucket. */
export class BucketSnapshots {
  readonly #bucket: Bucket
  readonly #now: () => number

  constructor(bucket: Bucket, now: () => number) {
    this.#bucket = bucket
    this.#now = now
  }

  /** Makes the folder `path` with the manifests of the bucket, and no other files. Throws `store-failed`. */
  async openAt(path: string): Promise<SnapshotFolder> {
    const folder = SnapshotFolder.make(path, this.#bucket.nameOf('').replace(/\/$/, ''))
    for (const name of (await this.#bucket.list('snapshots/')).keys())
      if (manifestName.test(name)) {
        const check = async (): Promise<void> => undefined
        await this.#fetch(folder, { key: `snapshots/${name}`, bytes: mostManifestBytes, check })
      }
    return folder
  }

  /** Paths in a folder of what snapshots of the bucket have, with their bytes. Throws `store-failed`. */
  async kept(folder: SnapshotFolder): Promise<ReadonlyMap<string, number>> {
    const there = await this.#bucket.list('')
    const kept = new Map<string, number>()
    for (const path of folder.named() ?? []) {
      const bytes = there.get(folder.keyOf(path))?.bytes
      if (bytes !== undefined) kept.set(path, bytes)
    }
    return kept
  }

  /** Puts what the bucket does not have of a snapshot of `folder`, and its manifest. Throws `store-failed`. */
  async put(
    folder: SnapshotFolder,
    manifest: SnapshotManifest & { readonly id: string },
    kept: ReadonlyMap<string, number>,
  ): Promise<void> {
    const put = (path: string): Promise<void> => this.#bucket.put(folder.keyOf(path), path, freshMs)
    // What lies there cut off is put again.
    for (const { from, bytes } of folder.files(manifest))
      if (kept.get(from) !== bytes) await put(from)
    await put(folder.manifestPath(manifest.id))
    await this.#sweep(folder)
  }

  /** Fetches the files of a snapshot into `folder`. Throws `not-found`, `store-failed`. */
  async fetch(
    folder: SnapshotFolder,
    manifest: SnapshotManifest,
    report: (what: string, bytes: number) => void,
  ): Promise<void> {
    for (const { from, to, bytes, check } of folder.files(manifest)) {
      if (sizeOf(from) !== undefined) continue
      await this.#fetch(folder, { key: folder.keyOf(from), bytes, check })
      report(to, sizeOf(from) ?? 0)
    }
  }

  /**
   * Reads the files of a snapshot one after the other; returns what is wrong with them, a sentence each. Throws `store-failed`
   * where the bucket does not answer.
   */
  async problemsOf(
    folder: SnapshotFolder,
    manifest: SnapshotManifest,
    report: (what: string, bytes: number) => void,
  ): Promise<readonly string[]> {
    const problems: string[] = []
    for (const { from, to, bytes, check } of folder.files(manifest)) {
      const key = folder.keyOf(from)
      const problem = await this.#problemOf(folder, { key, bytes, check })
      if (problem !== undefined) problems.push(problem)
      report(to, bytes)
    }
    return problems
  }

  async #problemOf(folder: SnapshotFolder, of: WantedFile): Promise<string | undefined> {
    const { key, bytes } = of
    const name = this.#bucket.nameOf(key)
    const known = await this.#bucket.find(key)
    if (known === undefined) return `file of a snapshot is missing: ${name}`
    if (known.bytes !== bytes)
      return `file of a snapshot has ${known.bytes} bytes of ${bytes}: ${name}`
    let other: Fault | undefined
    const path = join(folder.emptyPart('fetched'), 'file')
    const check = async (part: string): Promise<void> => {
      try {
        await of.check(part)
      } catch (error) {
        other = faultIn(error)
        throw error
      }
    }
    try {
      await this.#bucket.get(key, { path, maxBytes: bytes, check })
    } catch (error) {
      if (other === undefined) throw error
    } finally {
      rmSync(path, { force: true })
    }
    return other?.message.replaceAll(path, name)
  }

  async #fetch(folder: SnapshotFolder, { key, bytes: maxBytes, check }: WantedFile): Promise<void> {
    const part = join(folder.emptyPart('fetched'), 'file')
    try {
      await this.#bucket.get(key, { path: part, maxBytes, check })
    } catch (error) {
      const { code, message, detail } = faultIn(error)
      const words = message.replaceAll(part, this.#bucket.nameOf(key))
      throw new Fault(code, words, { cause: error, detail })
    }
    const path = join(folder.path, key)
    onDisk(() => mkdirSync(dirname(path), { recursive: true, mode: 0o700 }))
    putFile(part, path)
  }

  async #sweep(folder: SnapshotFolder): Promise<void> {
    // Another process may have put a manifest since.
    await this.openAt(folder.path)
    const named = folder.named()
    // One that cannot be read may name any.
    if (named === undefined) return
    const keys = new Set([...named].map((path) => folder.keyOf(path)))
    for (const [key, { storedMs }] of await this.#bucket.list('')) {
      if (!/^(?:files|segments)\//.test(key) || keys.has(key)) continue
      if (this.#now() - storedMs > dayMs) await this.#bucket.remove(key)
    }
  }
}
