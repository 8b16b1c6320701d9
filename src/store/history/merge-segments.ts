/**
 * Merges neighbouring segments into one that holds the same rows, so that a question reads few.
 *
 * The new file is written while the store goes on; only its name, and the row that names it in place of
 * the old ones, belong to a transaction. A question that reads an old segment keeps it open. A killed
 * process leaves a file that no manifest names.
 */

import { rmSync } from 'node:fs'

import { faultOf } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import type { Reader, Writer } from '../engine/database.ts'
import { historyStages } from '../schema/table.ts'
import { covered, setsOf } from './directory.ts'
import type { History } from './history.ts'
import { type Manifest, type ManifestSegment, segmentsOf, writeManifest } from './manifest.ts'
import { type MadeFile, type MergeFiles, mergeFiles, type MergeSource } from './merge-files.ts'

/** So many segments of one tier become one of the next: a row is written once per tier. */
export const mergedAtOnce = 8
/** Most segments merged at once: SQLite attaches so many files beside the one it writes. */
export const mostMergedAtOnce = 10
/** A file of the directory is not cut into smaller ones. */
const leastPieceBytes = 16_384
/** So many segments that stay make a file of the directory: until then each of them is asked. */
const leastListed = 4
/** Most segments of a stage that wait to be merged: a look for a hash reads each of them. */
export const mostSegments = 20

/** All that merging takes of the process. */
export type Merging = {
  /** Reads what is committed. */
  readonly reader: Reader
  readonly history: History
  /** Resolves when the next slice may be written; throws to end the work. */
  readonly pause: () => Promise<void>
  /** Writes the merged file; by default this thread does. */
  readonly write?: MergeFiles | undefined
  /** Does work in one transaction, under the lease. */
  readonly commit: <T>(work: (writer: Writer) => Promise<T>) => Promise<T>
  /** Chooses the neighbours of one stage that are merged; by default those that are due. */
  readonly choose?: typeof segmentsToMerge
}

/** Neighbours of which a file is made; one of the directory `adds` to them, each other stands in their place. */
type Due = { readonly files: readonly ManifestSegment[]; readonly adds: boolean }

/**
 * Merges the segments that are due, or else makes or merges files of the directory; returns the new file, `undefined`
 * where none are due or the old ones were taken back into tables meanwhile. Throws `store-full`, `store-failed`,
 * `lease-lost`, and leaves the store as it was then.
 */
export async function mergeDue(merging: Merging): Promise<ManifestSegment | undefined> {
  const { reader, history, choose = segmentsToMerge } = merging
  const manifest = await history.manifest(reader)
  for (const stage of historyStages) {
    const files = choose(segmentsOf(manifest, stage), history.fileBytes)
    if (files.length > 1) return merge(merging, manifest, { files, adds: false })
  }
  const due =
    history.fileBytes === undefined ? undefined : directoryDue(manifest, history.fileBytes)
  return due && merge(merging, manifest, due)
}

/** Segments for another set of the directory, or sets of it to merge. */
function directoryDue(manifest: Manifest, fileBytes: number): Due | undefined {
  for (const stage of historyStages) {
    const all = segmentsOf(manifest, stage)
    const listed = segmentsOf({ segments: manifest.directory }, stage)
    const left = new Set([
      ...runsToMerge(all, fileBytes).flatMap(({ segments }) => segments),
      ...covered(all, listed),
    ])
    const segments = neighbours(
      all.filter((each) => !left.has(each)),
      leastListed,
    )
    if (segments !== undefined) return { files: segments, adds: true }
    const heads = segmentsToMerge(listed.filter(({ first }) => first === undefined))
    if (heads.length > 1 && neighbours(heads, heads.length) !== undefined) {
      const [{ from }, { until }] = [itemAt(heads, 0), itemAt(heads, heads.length - 1)]
      const files = listed.filter((each) => each.from >= from && each.until <= until)
      return { files, adds: false }
    }
  }
  return undefined
}

/** The first of `segments`, at least `least` and at most {@link mostMergedAtOnce}, that follow each other. */
function neighbours(
  segments: readonly ManifestSegment[],
  least: number,
): readonly ManifestSegment[] | undefined {
  let run: ManifestSegment[] = []
  for (const segment of segments) {
    if (run.at(-1)?.until !== segment.from) {
      if (run.length >= least) return run
      run = []
    }
    run.push(segment)
    if (run.length === mostMergedAtOnce) return run
  }
  return run.length >= least ? run : undefined
}

async function merge(
  { reader, history, pause, commit, write = mergeFiles }: Merging,
  { folder }: Manifest,
  { files: due, adds }: Due,
): Promise<ManifestSegment | undefined> {
  const { stage, from, tier, isDirectory = false } = itemAt(due, 0)
  const { until } = itemAt(due, due.length - 1)
  const heights = adds ? due.map((each) => each.from) : undefined
  const { fileBytes = Number.POSITIVE_INFINITY } = history
  const directory = { heights, pieceBytes: Math.max(fileBytes, leastPieceBytes) }
  const draft = await history.folder.draft({ folder })
  let made: readonly MadeFile[] = []
  try {
    const sources: MergeSource[] = []
    for (const each of due)
      sources.push({ path: await history.obtain(each), name: each.name, first: each.first })
    const job = { sources, draft, stage, ...(adds || isDirectory ? { directory } : {}) }
    made = await write(job, pause)
    // What takes long comes before the transaction: a file without a name in the manifest stays long enough.
    await history.folder.identity({ folder })
    const entries: ManifestSegment[] = []
    for (const { draft: path, name, first } of made) {
      const bytes = await history.folder.place(path, name)
      const key = first === undefined ? {} : { first }
      entries.push({ stage, from, until, name, tier: adds ? 0 : tier + 1, bytes, ...key })
    }
    return await commit(async (writer) => {
      const manifest = await history.manifest(writer)
      if (!isListed(due, manifest)) return undefined
      const merged = listOf(due, manifest).toSpliced(placeOf(due, manifest), due.length, ...entries)
      const { segments, directory } = manifest
      const changed = adds
        ? { segments, directory: [...directory, ...entries] }
        : isDirectory
          ? { segments, directory: merged }
          : { segments: merged }
      await writeManifest(writer, manifest, { folder, ...changed })
      return entries[0]
    })
  } catch (error) {
    history.dropCopies(due)
    // Files of segments that were taken back into tables meanwhile may be gone.
    if (faultOf(error) !== undefined && !isListed(due, await history.manifest(reader)))
      return undefined
    throw error
  } finally {
    for (const each of made) rmSync(each.draft, { force: true })
    history.folder.drafted(draft)
  }
}

/**
 * Takes files of the directory that cannot be had any more, or are of another form, from the list: they are made again.
 * Throws `not-ready` where the bucket does not say.
 */
export async function forgetLost({
  reader,
  history,
  commit,
}: Pick<Merging, 'reader' | 'history' | 'commit'>): Promise<void> {
  const lost = new Set<string>()
  for (const each of (await history.manifest(reader)).directory)
    try {
      await history.file(each)
    } catch (error) {
      if (faultOf(error)?.code !== 'store-failed') throw error
      lost.add(each.name)
    }
  if (lost.size === 0) return
  await commit(async (writer) => {
    const manifest = await history.manifest(writer)
    // Without one of its files a set says nothing.
    const kept = setsOf(manifest.directory).filter(
      ({ pieces }) => !pieces.some(({ name }) => lost.has(name)),
    )
    const directory = kept.flatMap(({ pieces }) => pieces)
    await writeManifest(writer, manifest, { ...manifest, directory })
  })
}

function isListed(due: readonly ManifestSegment[], manifest: Manifest): boolean {
  const listed = listOf(due, manifest)
  const at = placeOf(due, manifest)
  return due.every(({ name }, place) => listed[at + place]?.name === name)
}

/** Place of the first of `due` in its list. */
function placeOf(due: readonly ManifestSegment[], manifest: Manifest): number {
  // Files of blocks without rows have one name.
  const { stage, from, name } = itemAt(due, 0)
  return listOf(due, manifest).findIndex(
    (each) => each.stage === stage && each.from === from && each.name === name,
  )
}

/** The list that has `due`, by stage and in order of height. */
function listOf(due: readonly ManifestSegment[], manifest: Manifest): readonly ManifestSegment[] {
  return itemAt(due, 0).isDirectory === true ? manifest.directory : manifest.segments
}

/**
 * The neighbouring segments of one stage to merge next, in order of height; empty when none are
 * due. Those that fill a file of `fileBytes` are merged at once. Else the tier with the most segments is merged once it
 * has {@link mergedAtOnce} (of equal tiers the lowest); else, with more than {@link mostSegments} that wait, the lowest
 * tier that has two.
 */
export function segmentsToMerge(
  segments: readonly ManifestSegment[],
  fileBytes?: number,
): readonly ManifestSegment[] {
  const runs = runsToMerge(segments, fileBytes)
  const most = Math.max(0, ...runs.map((run) => run.segments.length))
  const due =
    runs.find(({ isFull }) => isFull) ??
    runs.findLast((run) => run.segments.length === most && most >= mergedAtOnce)
  if (due !== undefined) return due.segments.slice(0, mostMergedAtOnce)
  if (waitingIn(runs) <= mostSegments) return []
  return runs.findLast((run) => run.segments.length > 1)?.segments ?? []
}

/** Number of segments of one stage that are to be merged yet. */
export function segmentsWaiting(segments: readonly ManifestSegment[], fileBytes?: number): number {
  return waitingIn(runsToMerge(segments, fileBytes))
}

function waitingIn(runs: readonly Run[]): number {
  return runs.reduce((sum, run) => sum + run.segments.length, 0)
}

/** Neighbours of one tier that make one file; `isFull`: the next one would make it too large. */
type Run = { readonly segments: ManifestSegment[]; isFull: boolean }

/** Tiers fall towards the newest. A file to which no neighbour can be added is left out: it stays. */
function runsToMerge(
  segments: readonly ManifestSegment[],
  fileBytes: number | undefined,
): readonly Run[] {
  const runs: Run[] = []
  let room = 0
  for (const segment of segments) {
    const { tier, bytes = fileBytes } = segment
    const size = fileBytes === undefined ? 0 : (bytes ?? 0)
    const last = runs.at(-1)
    const isNext = last?.segments[0]?.tier === tier
    if (isNext && size <= room) last.segments.push(segment)
    else {
      if (isNext) last.isFull = true
      runs.push({ segments: [segment], isFull: false })
      room = fileBytes ?? 0
    }
    room -= size
  }
  return runs.filter(({ segments: run, isFull }) => run.length > 1 || !isFull)
}
