/** The segments of a store that are open, each for the queries that read it. */

import { existsSync } from 'node:fs'

import { Fault, faultOf } from '../../core/fault.ts'
import type { Layouts } from '../migrations/migrations.ts'
import { byStage, type HistoryStage, stageOf, type Table } from '../schema/table.ts'
import { isDamage } from '../sums/pages.ts'
import { directorySchema } from './directory.ts'
import { type Manifest, type ManifestSegment, segmentsOf } from './manifest.ts'
import { stampOf } from './segment-bytes.ts'
import type { SegmentCache } from './segment-cache.ts'
import { SegmentFile } from './segment-file.ts'
import type { SegmentFolder } from './segment-folder.ts'
import { SegmentSchema } from './segment-schema.ts'

/** A question needs a segment that is not here. */
export class SegmentMissing extends Error {
  readonly segment: ManifestSegment

  constructor(segment: ManifestSegment) {
    super(`segment is not here: ${segment.name}`)
    this.segment = segment
  }
}

/** Between two looks whether an open file was changed or removed. */
const lookAgainMs = 1_000

/**
 * Returns whether the file that is open was not written to. Its name may be gone or another file's by now: what is open
 * stays what it was.
 */
function isAsOpened(file: SegmentFile, cache: SegmentCache | undefined): boolean {
  const now = performance.now()
  if (now - file.lookedMs < lookAgainMs) return true
  file.lookedMs = now
  const { ino, size, mtimeMs } = file.stamp
  const found = stampOf(file.path)
  if (found?.ino !== ino) return true
  cache?.touch(file.path, file.stamp)
  // A time that was set again is the same but for less than a millisecond.
  return found.size === size && Math.abs(found.mtimeMs - mtimeMs) < 1
}

/** Open files, by the names of their segments. */
export class OpenSegments {
  readonly #folder: SegmentFolder
  readonly #cache: SegmentCache | undefined
  readonly #open = new Map<string, SegmentFile>()
  /** True where every open file is one of the manifest. */
  #isSettled = true
  #lookedMs = 0
  readonly #mostOpen: number
  readonly #schemas: Readonly<Record<HistoryStage, SegmentSchema>>
  readonly #directory = directorySchema()

  /** Segments with `tables` lie in `folder`, or come from a bucket into `cache`. */
  constructor(
    folder: SegmentFolder,
    {
      tables,
      cache,
      layouts,
    }: {
      readonly tables: readonly Table[]
      readonly cache: SegmentCache | undefined
      readonly layouts: Layouts | undefined
    },
  ) {
    const schemaOf = (stage: HistoryStage): SegmentSchema =>
      new SegmentSchema(
        tables.filter((table) => stageOf(table) === stage),
        layouts,
      )
    this.#folder = folder
    this.#schemas = byStage(schemaOf)
    this.#cache = cache
    this.#mostOpen = cache?.mostOpen ?? Number.POSITIVE_INFINITY
  }

  /** A segment of `manifest`, open until another one is {@link OpenSegments.settle}d. Throws {@link SegmentMissing}. */
  open(segment: ManifestSegment, manifest: Manifest): SegmentFile {
    const { name, isDamaged } = segment
    const known = this.#open.get(name)
    if (known !== undefined && isDamaged !== true && isAsOpened(known, this.#cache)) {
      if (this.#open.size >= this.#mostOpen) this.#toEnd(known)
      return known
    }
    this.forget(name)
    const path = this.#folder.pathOf(name)
    const isHere = this.#cache?.isHere(name) ?? stampOf(path) !== undefined
    if (!isHere) throw new SegmentMissing(segment)
    try {
      const file = this.read(path, segment, manifest)
      this.#open.set(name, file)
      return file
    } catch (error) {
      if (this.#cache === undefined || !isDamage(error)) throw error
      // It is fetched again.
      this.#cache.remove(name)
      throw new SegmentMissing(segment)
    }
  }

  /** It was read last now. */
  #toEnd(file: SegmentFile): void {
    this.#open.delete(file.name)
    this.#open.set(file.name, file)
  }

  /** Opens a file that is what the manifest says, as far as opening tells. Throws `store-failed`. */
  read(path: string, segment: ManifestSegment, manifest: Manifest): SegmentFile {
    const { stage, from, until, isDamaged } = segment
    if (isDamaged === true)
      throw new Fault('store-failed', `segment has other bytes than were written: ${path}`)
    const file = this.#withTables(path, segment)
    if (segment.isDirectory === true) return file
    try {
      const { first, last } = file.places(this.schemaOf(segment).tables)
      // Blocks without internal transactions or logs have no row in the file of these.
      const isEmpty = stage !== 'blocks' && last === 0
      const isOfRange =
        stage === 'blocks' ? first === from && last === until - 1 : first >= from && last < until
      if (!isOfRange && !isEmpty)
        throw new Fault(
          'store-failed',
          `segment is of other blocks than ${from} to ${until - 1}: ${path}`,
        )
      if (stage === 'blocks' && this.#isOfOtherChain(file, segment, manifest))
        throw new Fault('store-failed', `segment does not continue those beside it: ${path}`)
      return file
    } catch (error) {
      file.close()
      throw error
    }
  }

  #withTables(path: string, segment: ManifestSegment): SegmentFile {
    return new SegmentFile(path, segment.name, this.schemaOf(segment))
  }

  /** Returns whether the numbers of its transactions fit none of the neighbours that can be read. */
  #isOfOtherChain(
    file: SegmentFile,
    { from, until }: ManifestSegment,
    manifest: Manifest,
  ): boolean {
    const own = file.transactions()
    const fits = segmentsOf(manifest, 'blocks').flatMap((each) => {
      if (each.until !== from && each.from !== until) return []
      try {
        using beside = this.#withTables(this.#folder.pathOf(each.name), each)
        const { first, end } = beside.transactions()
        return each.until === from ? end === own.first : first === own.end
      } catch (error) {
        if (faultOf(error) === undefined) throw error
        return []
      }
    })
    return fits.length > 0 && !fits.includes(true)
  }

  /** The tables of a segment, or of those of a stage. */
  schemaOf({
    stage,
    isDirectory = false,
  }: Pick<ManifestSegment, 'stage'> & { readonly isDirectory?: boolean }): SegmentSchema {
    return isDirectory ? this.#directory : this.#schemas[stage]
  }

  /** Takes a file out of those that are open; whoever reads it closes it. */
  forget(name: string): void {
    const known = this.#open.get(name)
    this.#open.delete(name)
    if (known?.users === 0) known.close()
  }

  /** Ends the use of files; those that `manifest` does not name are closed. */
  release(files: readonly SegmentFile[], manifest: Manifest): void {
    for (const file of files)
      if (--file.users === 0 && this.#open.get(file.name) !== file) file.close()
    this.#closeUnused(manifest)
  }

  /** From now on the files of `manifest` are those that stay open. */
  settle(manifest: Manifest): void {
    this.#isSettled = false
    this.#closeUnused(manifest)
  }

  #closeUnused({ segments, directory }: Manifest): void {
    // Nearly always every open file is one of the manifest.
    const now = performance.now()
    const mayBeRemoved = this.#cache !== undefined && now - this.#lookedMs >= lookAgainMs
    if (this.#isSettled && !mayBeRemoved && this.#open.size <= this.#mostOpen) return
    this.#lookedMs = now
    this.#isSettled = true
    const named = new Set([...segments, ...directory].map(({ name }) => name))
    for (const [name, file] of this.#open) {
      const isOver = this.#open.size > this.#mostOpen || (mayBeRemoved && !existsSync(file.path))
      if (named.has(name) && !isOver) continue
      if (file.users > 0) this.#isSettled &&= named.has(name)
      else {
        this.#open.delete(name)
        file.close()
      }
    }
  }

  close(): void {
    for (const file of this.#open.values()) file.close()
    this.#open.clear()
  }
}
