/**
 * The disk of a process whose history lies in a bucket: files that a question needs come from there once, and
 * those that this process writes stay for as long as there is room.
 *
 * They lie in a folder of their own, `<store>/<name>.sqlite`, which all threads and processes of a machine
 * may share. A file appears whole, by a rename. Beyond `maxBytes` those opened longest ago are
 * removed; who reads one then reads it to the end, from the file that has no name any more.
 */

import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'

import { Fault, faultIn } from '../../core/fault.ts'
import { growingPause, inTime } from '../../core/waiting.ts'
import type { Clock } from '../../core/world.ts'
import type { Bucket, KeptObject } from '../bucket/bucket.ts'
import type { ManifestSegment } from './manifest.ts'
import {
  checkName,
  draftEnding,
  type FileStamp,
  identityName,
  onDisk,
  putFile,
  segmentEnding,
  stampOf,
} from './segment-bytes.ts'
import { SegmentFile } from './segment-file.ts'
import type { SegmentSchema } from './segment-schema.ts'

/** Fate of files of the cache, as it is counted. */
export type CacheOutcome = 'found' | 'fetched' | 'missed' | 'removed'

/** A bucket with the history of all stores, and what this disk keeps of it. */
export type BucketHistory = {
  readonly bucket: Bucket
  /** For segments of all stores. */
  readonly folder: string
  /** Most bytes of a merged file: it is fetched as a whole. */
  readonly fileBytes: number
  /** Files of a store that stay open in a thread, each with some 170 KiB of memory; those read last. */
  readonly mostOpen: number
  /** A longer file is kept, too, but alone: a question that needs it would fail for ever. */
  readonly maxBytes: number
  /** Longest a question waits for a segment, milliseconds. */
  readonly waitMs: number
  readonly clock: Clock
  readonly count: (outcome: CacheOutcome) => void
}

/** A file in a bucket that was stored within this time stays as it is: no sweep takes it away before long. */
const freshMs = 3_600_000

/** Pauses after a segment could be had nowhere. */
const pauses = { firstMs: 1_000, longestMs: 60_000 }
/** An unfinished file that was not written for this long was left by a killed process. */
const abandonedMs = 3_600_000

type Trouble = { readonly failures: number; readonly until: number; readonly fault: Fault }

/** Segments of one store. */
export class SegmentCache {
  readonly #from: BucketHistory
  readonly #store: string
  readonly #folder: string
  readonly #underWay = new Map<string, Promise<void>>()
  readonly #troubles = new Map<string, Trouble>()
  /** The last file that could not be had, and why; `undefined` since one could. */
  #problem:
    | { readonly name: string; readonly schema: SegmentSchema; readonly why: string }
    | undefined
  #identity: string | undefined

  constructor(from: BucketHistory, store: string) {
    this.#from = from
    this.#store = store
    this.#folder = join(from.folder, store)
  }

  /** The last file that could not be had, and why; `undefined` where the last one could. */
  get problem(): { readonly name: string; readonly why: string } | undefined {
    return this.#problem
  }

  /**
   * Begins to fetch the file of {@link SegmentCache.problem} again, once its pause is over: of a host that is not ready
   * nobody requests anything, and it would never hear that the bucket is back.
   */
  tryAgain(): void {
    const { name, schema } = this.#problem ?? {}
    if (name === undefined || schema === undefined) return
    if (this.#from.clock.monotonic() >= (this.#troubles.get(name)?.until ?? 0))
      this.#once(name, schema).catch(() => undefined)
  }

  /** Forgets a problem with a file that no list names any more. */
  dropProblem(): void {
    this.#problem = undefined
  }

  /** Bucket and beginning of the keys of the store. */
  get placeName(): string {
    return this.#from.bucket.nameOf(this.#keyOf(''))
  }

  /** Most bytes of a merged file. */
  get fileBytes(): number {
    return this.#from.fileBytes
  }

  /** Files that stay open. */
  get mostOpen(): number {
    return this.#from.mostOpen
  }

  #pathOf(name: string): string {
    return join(this.#folder, name + segmentEnding)
  }

  #keyOf(file: string): string {
    return `${this.#store}/${file}`
  }

  /** The identity of the store in the bucket; `undefined` before the first segment. Throws `store-failed`. */
  async identity(): Promise<string | undefined> {
    this.#identity ??= (await this.#from.bucket.text(this.#keyOf(identityName)))?.trim()
    return this.#identity
  }

  /** Makes `made` the identity of the store in the bucket, which has none; returns the one that it has then. */
  async identify(made: string): Promise<string> {
    this.#identity = (
      await this.#from.bucket.putText(this.#keyOf(identityName), `${made}\n`)
    ).trim()
    return this.#identity
  }

  /**
   * Puts a whole draft into the bucket, where it `mends` also in place of a file that is there, and keeps it here.
   * Throws `store-failed`, `store-full`.
   */
  async place(draft: string, name: string, mends: boolean): Promise<void> {
    await this.#from.bucket.put(this.#keyOf(name + segmentEnding), draft, mends ? 0 : freshMs)
    this.#troubles.delete(name)
    putFile(draft, this.#pathOf(name))
    this.#makeRoom(this.#pathOf(name))
  }

  /** The files in the bucket, by name. Throws `store-failed`. */
  list(): Promise<ReadonlyMap<string, KeptObject>> {
    return this.#from.bucket.list(this.#keyOf(''))
  }

  /** Throws `store-failed` where the bucket does not have the segment, `not-ready` where it does not answer. */
  async lookFor(name: string): Promise<void> {
    let found: KeptObject | undefined
    try {
      found = await this.#from.bucket.find(this.#keyOf(name + segmentEnding))
    } catch (error) {
      throw notReady(name, 'object storage does not answer', faultIn(error))
    }
    if (found === undefined) throw lost(name)
  }

  /** Removes a file of the bucket. Throws `store-failed`. */
  removeKept(file: string): Promise<void> {
    return this.#from.bucket.remove(this.#keyOf(file))
  }

  /** Returns whether the file of a segment is here. It is the last to be removed now. */
  isHere(name: string): boolean {
    const found = stampOf(this.#pathOf(name))
    if (found === undefined) return false
    this.touch(this.#pathOf(name), found)
    this.#from.count('found')
    return true
  }

  /** Says that a file was read now; when it was written stays, by which those who have it open know it. */
  touch(path: string, { mtimeMs }: Pick<FileStamp, 'mtimeMs'>): void {
    try {
      utimesSync(path, this.#from.clock.now() / 1_000, mtimeMs / 1_000)
    } catch {
      // Another thread may have removed it meanwhile.
    }
  }

  /** Removes a file that is damaged: it is fetched again. */
  remove(name: string): void {
    rmSync(this.#pathOf(name), { force: true })
  }

  /**
   * Resolves when the segment is here. Throws `not-ready` where that takes longer than a question may
   * wait, or where it could not be had now or a moment ago, `store-failed` where the bucket has it no more or
   * with other bytes.
   */
  async need(
    { name }: ManifestSegment,
    schema: SegmentSchema,
    waitMs = this.#from.waitMs,
  ): Promise<void> {
    const { clock } = this.#from
    const trouble = this.#troubles.get(name)
    if (trouble !== undefined && clock.monotonic() < trouble.until) throw trouble.fault
    const late = (): never => {
      throw notReady(name, 'it is being fetched')
    }
    await inTime(this.#once(name, schema), { clock, ms: waitMs, late })
  }

  /** However many questions need it, it is fetched once. */
  #once(name: string, schema: SegmentSchema): Promise<void> {
    const known = this.#underWay.get(name)
    if (known !== undefined) return known
    const fetched = this.#fetch(name, schema).finally(() => this.#underWay.delete(name))
    // Who waits may be gone when it fails.
    fetched.catch(() => undefined)
    this.#underWay.set(name, fetched)
    return fetched
  }

  async #fetch(name: string, schema: SegmentSchema): Promise<void> {
    const { bucket, clock, count } = this.#from
    // Another thread may have fetched it.
    if (existsSync(this.#pathOf(name))) return
    let isOther = false
    try {
      // It comes into the folder once all of it is known to be what its name says.
      onDisk(() => mkdirSync(this.#folder, { recursive: true }))
      const path = join(this.#folder, `${randomUUID()}${draftEnding}`)
      const check = async (draft: string): Promise<void> => {
        isOther = true
        await checkForeign(draft, name, schema)
        isOther = false
      }
      try {
        await bucket.get(this.#keyOf(name + segmentEnding), { path, check })
        onDisk(() => renameSync(path, this.#pathOf(name)))
      } finally {
        rmSync(path, { force: true })
      }
      this.#makeRoom(this.#pathOf(name))
      this.#troubles.delete(name)
      this.#problem = undefined
      count('fetched')
    } catch (error) {
      const fault = faultIn(error)
      count('missed')
      const failures = this.#troubles.get(name)?.failures ?? 0
      this.#problem = { name, schema, why: fault.message }
      const isLost = isOther || fault.code === 'not-found'
      const refusal = isLost
        ? lost(name)
        : notReady(name, 'object storage does not give it now', fault)
      const until = clock.monotonic() + growingPause(failures, pauses)
      this.#troubles.set(name, { failures: failures + 1, until, fault: refusal })
      throw refusal
    }
  }

  /** Removes what was opened longest ago, but `kept`, until the rest fits. */
  #makeRoom(kept: string): void {
    const { folder, maxBytes, clock, count } = this.#from
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
      const path = join(folder, name)
      const found = statSync(path, { throwIfNoEntry: false })
      return found?.isFile() === true
        ? [{ path, size: found.size, usedMs: found.atimeMs, writtenMs: found.mtimeMs }]
        : []
    })
    const now = clock.now()
    for (const { path, writtenMs } of files)
      if (path.includes(draftEnding) && now - writtenMs > abandonedMs) rmSync(path, { force: true })
    const segments = files.filter(({ path }) => path.endsWith(segmentEnding))
    let bytes = segments.reduce((sum, { size }) => sum + size, 0)
    for (const { path, size } of segments.toSorted((a, b) => a.usedMs - b.usedMs)) {
      if (bytes <= maxBytes) return
      if (path === kept) continue
      rmSync(path, { force: true })
      bytes -= size
      count('removed')
    }
  }
}

/**
 * Throws `store-failed` where a file from elsewhere is not segment `name`, or is not the plain
 * SQLite file that a segment is.
 */
export async function checkForeign(
  path: string,
  name: string,
  schema: SegmentSchema,
): Promise<void> {
  await checkName(path, name)
  using file = new SegmentFile(path, name, schema)
  const [problem] = file.problems()
  if (problem !== undefined)
    throw new Fault('store-failed', `segment is not whole: ${name}: ${problem}`)
}

function lost(name: string): Fault {
  return new Fault('store-failed', `segment in the bucket is gone or has other bytes: ${name}`)
}

function notReady(name: string, why: string, cause?: unknown): Fault {
  return new Fault('not-ready', `segment ${name} is not here: ${why}`, {
    detail: { reset: 1 },
    cause,
  })
}
