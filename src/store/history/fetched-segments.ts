/**
 * Segments that a process takes from other Firns when a question needs them: one that only serves
 * from a database, and has no folder in common with those that index.
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
import type { Table } from '../schema/table.ts'
import type { ManifestSegment } from './manifest.ts'
import { checkName, draftEnding, onDisk, segmentEnding } from './segment-bytes.ts'
import { schemaOf, SegmentFile } from './segment-file.ts'

/** Results of fetching that are counted. */
export type FetchOutcome = 'fetched' | 'failed' | 'removed'

/** Where segments come from, and how many are kept. */
export type SegmentFetching = {
  /** For segments of all stores. */
  readonly folder: string
  readonly maxBytes: number
  readonly urls: readonly string[]
  /**
   * Writes a segment into `path` and returns which of `urls` had it, the first of them that has one which
   * passes `check`. Throws `not-found` where none offers it, or what became of the others.
   */
  readonly fetch: (segment: WantedSegment) => Promise<string>
  /** Longest a question waits for a segment, milliseconds. */
  readonly waitMs: number
  readonly clock: Clock
  readonly report: (outcome: FetchOutcome) => void
}

/** A segment, and where to look for it. */
export type WantedSegment = {
  readonly urls: readonly string[]
  readonly store: string
  readonly name: string
  readonly path: string
  readonly maxBytes: number
  readonly check: (path: string) => Promise<void>
}

/**
 * Longest segment that is taken where all that is kept may be less: a question that needs it would fail for ever. Then it
 * alone is kept.
 */
const longestBytes = 2 ** 40

/** Pauses after a segment could be had nowhere. */
const pauses = { firstMs: 1_000, longestMs: 60_000 }
/** An unfinished file that was not written for this long was left by a killed process. */
const abandonedMs = 3_600_000

type Trouble = { readonly failures: number; readonly until: number; readonly fault: Fault }

/** Fetched segments of one store. */
export class FetchedSegments {
  readonly #fetching: SegmentFetching
  readonly #store: string
  readonly #folder: string
  readonly #underWay = new Map<string, Promise<void>>()
  readonly #troubles = new Map<string, Trouble>()
  /** Who had the last one, and is tried first. */
  #last: string | undefined

  constructor(fetching: SegmentFetching, store: string) {
    this.#fetching = fetching
    this.#store = store
    this.#folder = join(fetching.folder, store)
  }

  /** The file of a segment, whether it is there or not. */
  pathOf(name: string): string {
    return join(this.#folder, name + segmentEnding)
  }

  /** The file of a segment; `undefined` where it is not here. It is the last to be removed now. */
  find(name: string): string | undefined {
    const path = this.pathOf(name)
    if (!existsSync(path)) return undefined
    const now = this.#fetching.clock.now() / 1_000
    // Another thread may have removed it meanwhile: it is fetched again then.
    if (existsSync(path)) onDisk(() => utimesSync(path, now, now))
    return path
  }

  /** Removes a file that is damaged: it is fetched again. */
  remove(name: string): void {
    rmSync(this.pathOf(name), { force: true })
  }

  /**
   * Resolves when the segment is here. Throws `not-ready` where that takes longer than a question may
   * wait, or where it could not be had now or a moment ago.
   */
  async need({ name }: ManifestSegment, tables: readonly Table[]): Promise<void> {
    const { clock, waitMs } = this.#fetching
    const trouble = this.#troubles.get(name)
    if (trouble !== undefined && clock.monotonic() < trouble.until) throw trouble.fault
    const late = (): never => {
      throw notReady(name, 'it is being fetched')
    }
    await inTime(this.#once(name, tables), { clock, ms: waitMs, late })
  }

  /** However many questions need it, it is fetched once. */
  #once(name: string, tables: readonly Table[]): Promise<void> {
    const known = this.#underWay.get(name)
    if (known !== undefined) return known
    const fetched = this.#fetch(name, tables).finally(() => this.#underWay.delete(name))
    // Who waits may be gone when it fails.
    fetched.catch(() => undefined)
    this.#underWay.set(name, fetched)
    return fetched
  }

  async #fetch(name: string, tables: readonly Table[]): Promise<void> {
    const { clock, report } = this.#fetching
    // Another thread may have fetched it.
    if (existsSync(this.pathOf(name))) return
    try {
      // It comes into the folder once all of it is known to be what its name says.
      onDisk(() => mkdirSync(this.#folder, { recursive: true }))
      const path = join(this.#folder, `${randomUUID()}${draftEnding}`)
      const { urls } = this.#fetching
      const maxBytes = longestBytes
      const ordered = urls.toSorted((a, b) => Number(b === this.#last) - Number(a === this.#last))
      const check = (draft: string): Promise<void> => checkForeign(draft, name, tables)
      const wanted = { urls: ordered, store: this.#store, name, path, maxBytes, check }
      try {
        this.#last = await this.#fetching.fetch(wanted)
        onDisk(() => renameSync(path, this.pathOf(name)))
      } finally {
        rmSync(path, { force: true })
      }
      this.#makeRoom(this.pathOf(name))
      this.#troubles.delete(name)
      report('fetched')
    } catch (error) {
      const fault = faultIn(error)
      report('failed')
      const failures = this.#troubles.get(name)?.failures ?? 0
      // Its own words name the sources, which are no caller's business.
      const refusal = notReady(name, 'no other Firn gives it now', fault)
      const until = clock.monotonic() + growingPause(failures, pauses)
      this.#troubles.set(name, { failures: failures + 1, until, fault: refusal })
      throw refusal
    }
  }

  /** Removes what was opened longest ago, but `kept`, until the rest fits. */
  #makeRoom(kept: string): void {
    const { folder, maxBytes, clock, report } = this.#fetching
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
      const path = join(folder, name)
      const found = statSync(path, { throwIfNoEntry: false })
      return found?.isFile() === true ? [{ path, size: found.size, usedMs: found.mtimeMs }] : []
    })
    const now = clock.now()
    for (const { path, usedMs } of files)
      if (path.endsWith(draftEnding) && now - usedMs > abandonedMs) rmSync(path, { force: true })
    const segments = files.filter(({ path }) => path.endsWith(segmentEnding))
    let bytes = segments.reduce((sum, { size }) => sum + size, 0)
    for (const { path, size } of segments.toSorted((a, b) => a.usedMs - b.usedMs)) {
      if (bytes <= maxBytes) return
      if (path === kept) continue
      rmSync(path, { force: true })
      bytes -= size
      report('removed')
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
  tables: readonly Table[],
): Promise<void> {
  await checkName(path, name)
  const file = new SegmentFile(path, name, schemaOf(tables))
  try {
    const [problem] = file.problems()
    if (problem !== undefined)
      throw new Fault('store-failed', `segment is not whole: ${name}: ${problem}`)
  } finally {
    file.close()
  }
}

function notReady(name: string, why: string, cause?: unknown): Fault {
  return new Fault('not-ready', `segment ${name} is not here: ${why}`, {
    detail: { reset: 1 },
    cause,
  })
}
