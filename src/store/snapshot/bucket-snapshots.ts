/**
 * Snapshots in a bucket: the files of a folder of snapshots, under the same paths. Whoever takes or restores one has a
 * folder of this disk with the files of that snapshot alone.
 *
 * A manifest is put last. Files that no manifest names are removed a day after they were put: until then another process
 * may be about to name them.
 */

import { mkdirSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

import type { Bucket } from '../bucket/bucket.ts'
import { onDisk, putFile } from '../history/segment-bytes.ts'
import { SnapshotFolder, sizeOf } from './snapshot-folder.ts'
import type { SnapshotManifest } from './snapshot-manifest.ts'

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
    const folder = SnapshotFolder.make(path)
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
      const bytes = there.get(keyOf(folder, path))?.bytes
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
    const put = (path: string): Promise<void> =>
      this.#bucket.put(keyOf(folder, path), path, freshMs)
    for (const { from } of folder.files(manifest)) if (!kept.has(from)) await put(from)
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
      await this.#fetch(folder, { key: keyOf(folder, from), bytes, check })
      report(to, sizeOf(from) ?? 0)
    }
  }

  async #fetch(
    folder: SnapshotFolder,
    of: {
      readonly key: string
      readonly bytes: number
      readonly check: (path: string) => Promise<void>
    },
  ): Promise<void> {
    const { key, bytes: maxBytes, check } = of
    const part = join(folder.emptyPart('fetched'), 'file')
    await this.#bucket.get(key, { path: part, maxBytes, check })
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
    const keys = new Set([...named].map((path) => keyOf(folder, path)))
    for (const [key, { storedMs }] of await this.#bucket.list('')) {
      if (!/^(?:files|segments)\//.test(key) || keys.has(key)) continue
      if (this.#now() - storedMs > dayMs) await this.#bucket.remove(key)
    }
  }
}

function keyOf(folder: SnapshotFolder, path: string): string {
  return relative(folder.path, path).split(sep).join('/')
}
