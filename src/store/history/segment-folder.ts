/** The folder of a store's segments: its identity, the files that are being written, and those without a name. */

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { Fault } from '../../core/fault.ts'
import type { Reader, Writer } from '../engine/database.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { draftEnding, onDisk, putFile, segmentEnding, stampOf } from './segment-bytes.ts'

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

/** The files of the segments of one store. */
export class SegmentFolder {
  readonly path: string
  /** Files that this process is writing. */
  readonly #drafts = new Set<string>()
  #unnamed = new Map<string, Unnamed>()

  constructor(path: string) {
    this.path = path
  }

  /** The file of a segment. */
  pathOf(name: string): string {
    return join(this.path, name + segmentEnding)
  }

  /**
   * Why this folder is not `folder`, the one that the store was written with; `undefined` where it is. A disk that
   * is not mounted leaves another folder behind.
   */
  problem({ folder }: Pick<Manifest, 'folder'>): string | undefined {
    if (folder === '' || this.#identity() === folder) return undefined
    return `folder of segments is not the one that the store was written with: ${this.path}`
  }

  #identity(): string | undefined {
    const path = join(this.path, identityName)
    return existsSync(path) ? onDisk(() => readFileSync(path, 'utf8')).trim() : undefined
  }

  /**
   * The identity of the folder, which a store gets with its first segment. Throws `store-failed` where
   * `manifest` names another one.
   */
  identity(manifest: Pick<Manifest, 'folder'>): string {
    const problem = this.problem(manifest)
    if (problem !== undefined) throw new Fault('store-failed', problem)
    const known = this.#identity()
    if (known !== undefined) return known
    const made = randomUUID()
    putIdentity(this.path, made)
    return made
  }

  /** Makes a folder that was lost the one of the store again. Throws as {@link SegmentFolder.identity}. */
  mendIdentity({ folder }: Pick<Manifest, 'folder'>): void {
    if (folder !== '' && this.#identity() === undefined) putIdentity(this.path, folder)
    this.identity({ folder })
  }

  /**
   * A new file to write a segment into, under a unique name; {@link SegmentFolder.drafted} says that it
   * is finished or abandoned. Throws as {@link SegmentFolder.identity}.
   */
  draft(manifest: Pick<Manifest, 'folder'>): string {
    this.identity(manifest)
    const file = `${randomUUID()}${draftEnding}`
    this.#drafts.add(file)
    return join(this.path, file)
  }

  /** The file of {@link SegmentFolder.draft} is not written any more: it goes where it has no other name yet. */
  drafted(path: string): void {
    rmSync(path, { force: true })
    this.#drafts.delete(basename(path))
  }

  /** Gives a whole draft the name of its content. Throws `store-full`, `store-failed`. */
  place(draft: string, name: string): void {
    putFile(draft, this.pathOf(name))
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
   * Removes what {@link SegmentFolder.hasOverdue} found. Nothing else removes files of a folder that a store is
   * written with. Runs in a transaction that holds the lease, and looks at the manifest in it and then at
   * the files: one that another writer has placed again meanwhile is a new file, and stays.
   */
  async removeOverdue(writer: Writer): Promise<void> {
    if (this.#unnamed.size === 0) return
    for (const [file, stamp] of this.#unnamedNow(await readManifest(writer))) {
      const known = this.#unnamed.get(file)
      if (known?.isOverdue === true && known.stamp === stamp)
        rmSync(join(this.path, file), { force: true })
    }
  }

  /** Files that `manifest` does not name and this process does not write, each with what tells it from a later one. */
  #unnamedNow(manifest: Manifest): [file: string, stamp: string][] {
    if (!existsSync(this.path)) return []
    if (this.problem(manifest) !== undefined) return []
    const named = new Set(manifest.segments.map(({ name }) => name + segmentEnding))
    return onDisk(() => readdirSync(this.path)).flatMap((file) => {
      const isDraft = file.includes(draftEnding)
      if (named.has(file) || !(isDraft || file.endsWith(segmentEnding))) return []
      // SQLite writes files of its own beside a draft, which a killed process leaves as well.
      if (isDraft && [...this.#drafts].some((draft) => file.startsWith(draft))) return []
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
