/**
 * Which files of history a question reads, and in which order: all of one state of the store.
 *
 * Rows move from tables into segments, and back, in a commit that changes the manifest, whose text never
 * repeats. So whoever finds the same manifest before and after it read the tables saw one state of both.
 */

import { faultOf } from '../../core/fault.ts'
import type { MaybePromise, Reader } from '../engine/database.ts'
import type { HistoryStage } from '../schema/table.ts'
import { type DirectorySet, fileAt, type Heights, within } from './directory.ts'
import type { History, KeyValues, OpenSegment } from './history.ts'
import { frozenUntil, type Manifest, type ManifestSegment } from './manifest.ts'

/** A store and the files of its history. */
export type Store = { readonly reader: Reader; readonly history: History }

/** Files that are read, in order of height, and up to which height each of them. */
export type AskedFiles = {
  readonly files: readonly ManifestSegment[]
  /** The directory in place of other segments. */
  readonly sums?: {
    readonly sets: readonly DirectorySet[]
    /** The last height that is read of sets, where `height` is the last one wanted. */
    readonly before: (height: number) => number
    /** Those of the files in which a last height lies that is wanted. */
    readonly inside: ReadonlySet<ManifestSegment>
  }
}

/** A question, in the words of tables and of files. */
export type Reading<T> = {
  /** The only keys whose rows are wanted; absent where no file is left out. */
  readonly keys?: KeyValues | undefined
  /** The last heights whose rows are wanted; present where the directory has the rows. */
  readonly lasts?: readonly number[] | undefined
  /** The newest rows are read first, those of tables before all; else the oldest. */
  readonly isNewestFirst: boolean
  readonly tables: () => MaybePromise<T>
  /** Returns whether what was found is all that is wanted. */
  readonly isEnough: (found: T) => boolean
  /** Adds what files have to what was found; absent where nothing was read before. */
  readonly segments: (open: OpenSegment, files: AskedFiles, found: T | undefined) => T
  /** Puts what tables have behind what segments have; absent where they come first. */
  readonly behind?: (found: T, stored: T | undefined) => T
}

/**
 * An answer from the tables and the segments that overlap `heights`, all of one state of the
 * store.
 */
export async function ofOneState<T>(
  { reader, history }: Store,
  stage: HistoryStage,
  heights: Heights,
  reading: Reading<T>,
): Promise<T> {
  const { tables, isEnough, isNewestFirst } = reading
  for (let known = history.known; ;) {
    const isFrozen = heights.until <= frozenUntil(known, stage)
    const stored = isFrozen ? undefined : await tables()
    if (stored !== undefined && isNewestFirst && isEnough(stored)) return stored
    const manifest: Manifest = isFrozen
      ? await history.thisTurn(reader)
      : await history.manifest(reader)
    if (manifest.text === known.text) {
      const reached = within(history.filesOf(stage).segments, heights)
      if (stored !== undefined && reached.length === 0) return stored
      const of = {
        manifest,
        stage,
        heights,
        begin: reading.behind === undefined ? stored : undefined,
      }
      const answer = await ofFiles({ reader, history }, of, reading)
      if (answer !== undefined) return reading.behind?.(answer.all, stored) ?? answer.all
    }
    known = await history.manifest(reader)
  }
}

type Reached<T> = {
  readonly manifest: Manifest
  readonly stage: HistoryStage
  readonly heights: Heights
  /** Found before. */
  readonly begin: T | undefined
}

/**
 * An answer from the segments of some heights, by the directory where it helps; `undefined` where the list of segments
 * changed meanwhile.
 */
async function ofFiles<T>(
  store: Store,
  of: Reached<T>,
  reading: Reading<T>,
): Promise<{ readonly all: T } | undefined> {
  const { reader, history } = store
  const { manifest, stage, heights, begin } = of
  const { keys, lasts, segments } = reading
  const { directory, segments: every } = history.filesOf(stage)
  if (lasts !== undefined && directory.length > 0)
    try {
      return await ofSums(store, of, { ...reading, lasts })
    } catch (error) {
      // One of the directory that only comes late is waited for.
      if (faultOf(error)?.code !== 'store-failed') throw error
    }
  else if (keys !== undefined && directory.length > 0)
    return ofPlaces(store, of, { ...reading, keys })
  const files = within(every, heights)
  return history.using(
    reader,
    manifest,
    (open) => ({ all: segments(open, { files }, begin) }),
    reading.isNewestFirst ? files.toReversed() : files,
  )
}

/** As {@link ofFiles}, of the files that have a key; those behind a full answer are not asked for. */
async function ofPlaces<T>(
  { reader, history }: Store,
  { manifest, stage, heights, begin }: Reached<T>,
  { keys, isNewestFirst, isEnough, segments }: Reading<T> & { readonly keys: KeyValues },
): Promise<{ readonly all: T } | undefined> {
  const parts = within(history.filesOf(stage).asked, heights)
  let found = begin
  let waiting: ManifestSegment[] = []
  const read = async (): Promise<boolean> => {
    const inOrder = waiting
    const files = isNewestFirst ? inOrder.toReversed() : inOrder
    waiting = []
    const answer = await history.using(
      reader,
      manifest,
      (open) => ({ all: segments(open, { files }, found) }),
      inOrder,
    )
    found = answer?.all
    return answer !== undefined
  }
  const order = isNewestFirst ? parts.toReversed() : parts
  for (let at = 0; at < order.length;) {
    const part = order[at]
    if (part !== undefined && !('pieces' in part)) {
      waiting.push(part)
      at++
      continue
    }
    if (waiting.length > 0 && !(await read())) return undefined
    if (found !== undefined && isEnough(found)) return { all: found }
    const directory = setsFrom(order, at)
    const having = await history.having(reader, manifest, { directory, heights, keys })
    if (having === undefined) return undefined
    waiting = isNewestFirst ? having.segments.toReversed() : [...having.segments]
    at += having.read
  }
  if ((waiting.length > 0 || found === undefined) && !(await read())) return undefined
  return found === undefined ? undefined : { all: found }
}

/** The sets of the directory that follow each other from a place on. */
function setsFrom(
  order: readonly (ManifestSegment | DirectorySet)[],
  at: number,
): readonly DirectorySet[] {
  const sets: DirectorySet[] = []
  for (const each of order.slice(at)) {
    if (!('pieces' in each)) break
    sets.push(each)
  }
  return sets
}

/**
 * As {@link ofFiles}, from the sums that the directory has, the segments that it has not, and each in which one of the last heights
 * lies.
 */
async function ofSums<T>(
  { reader, history }: Store,
  { manifest, stage, begin }: Reached<T>,
  { keys, lasts, segments }: Reading<T> & { readonly lasts: readonly number[] },
): Promise<{ readonly all: T } | undefined> {
  const { directory, rest, segments: every } = history.filesOf(stage)
  const insideOf = (height: number): ManifestSegment | undefined =>
    fileAt(directory, height) && fileAt(every, height)
  const before = (height: number): number => (insideOf(height)?.from ?? height + 1) - 1
  const inside = new Set(lasts.flatMap((height) => insideOf(height) ?? []))
  const heights = { from: 0, until: Math.max(...lasts) + 1 }
  const sets = within(directory, heights)
  let files = within(rest, heights)
  for (const each of inside) {
    const listing = fileAt(directory, each.from)
    const having =
      keys === undefined || listing === undefined
        ? { segments: [each] }
        : await history.having(reader, manifest, { directory: [listing], heights: each, keys })
    if (having === undefined) return undefined
    files = [...files, ...having.segments]
  }
  if (inside.size > 0) files = files.toSorted((one, other) => one.from - other.from)
  return history.using(reader, manifest, (open) => ({
    all: segments(open, { files, sums: { sets, before, inside } }, begin),
  }))
}
