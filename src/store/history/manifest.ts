/** The manifest: the list of segments that hold the frozen history of a store, one row of `meta`. */

import { randomUUID } from 'node:crypto'

import { Fault } from '../../core/fault.ts'
import { isObject, jsonOf } from '../../core/json.ts'
import { type Reader, statement, type Writer } from '../engine/database.ts'
import { metaText, putMeta } from '../meta.ts'
import { segmentsName } from '../schema/control.ts'
import { type HistoryStage, historyStages } from '../schema/table.ts'

/** A segment and its heights, half-open. */
export type ManifestSegment = {
  /** The stage whose rows it holds. */
  readonly stage: HistoryStage
  readonly from: number
  readonly until: number
  /** Name of its file, without ending: the hash of its bytes. */
  readonly name: string
  /** Number of times its rows were merged. */
  readonly tier: number
  /** Of its file; absent where the version that listed it did not say. */
  readonly bytes?: number
  /** Its file was found to have other bytes than its name says: nothing is read from it until it is mended. */
  readonly isDamaged?: boolean
  /** It has no rows, but is of the directory: see `directory.ts`. */
  readonly isDirectory?: true
  /** Of the directory: its first key, where it is not the first file of its heights. */
  readonly first?: readonly number[]
}

/** The frozen history of a store. */
export type Manifest = {
  /** Stage by stage; those of one in order of height, without gaps. */
  readonly segments: readonly ManifestSegment[]
  /** Files of the directory, each of the segments of its heights as they are listed; stage by stage, in order of height. */
  readonly directory: readonly ManifestSegment[]
  /**
   * Identity of the folder that they were written into; empty before the first one, but not where others may write there, see
   * {@link namePlace}.
   */
  readonly folder: string
  /** Grows with each change, so that no two states of a store have the same text. */
  readonly serial: number
  /** The stored text; empty before the first segment, as {@link Manifest.folder} is. */
  readonly text: string
}

const nameForm = /^[0-9a-f]{32}$/
const folderForm = /^[0-9a-f-]{36}$/
/** Stands behind the entry of a segment that is damaged. */
const damagedMark = 'damaged'

/** The manifest of a store as it is now. Throws `store-failed` where it is damaged. */
export async function readManifest(reader: Reader): Promise<Manifest> {
  return parseManifest(await manifestText(reader))
}

/** The stored text of the manifest; empty before the first segment. Cost: one look-up by key. */
export async function manifestText(reader: Reader): Promise<string> {
  return (await metaText(reader, segmentsName)) ?? ''
}

/** Characters of the beginning of the text, with folder and serial: it never repeats either. */
const headLength = 96
const headOf = statement<string>(
  `select substr(value, 1, ${headLength}) from meta where name = ?`,
  { over: undefined },
)

/**
 * Returns whether the stored text is `text`. Cost: one look-up by key; the whole text of a long history takes longer to
 * read than most answers.
 */
export async function isManifestText(reader: Reader, text: string): Promise<boolean> {
  const head = (await reader.get(headOf, [segmentsName]))?.[0] ?? ''
  return head === text.slice(0, headLength)
}

/**
 * Writes which segments hold the history now, in any order of stages, in place of manifest `old`. Files of the directory,
 * in any order, are left out where they are of other segments.
 */
export async function writeManifest(
  writer: Writer,
  old: Manifest,
  {
    segments,
    folder,
    directory = old.directory,
  }: Pick<Manifest, 'segments' | 'folder'> & Partial<Pick<Manifest, 'directory'>>,
): Promise<void> {
  const inOrder = historyStages.flatMap((stage) => segmentsOf({ segments }, stage))
  const valid = historyStages.flatMap((stage) =>
    segmentsOf({ segments: directory }, stage)
      .filter((each) => namesWithin(old.segments, each) === namesWithin(segments, each))
      .toSorted((one, other) => one.from - other.from),
  )
  const value = JSON.stringify({
    folder,
    serial: old.serial + 1,
    segments: inOrder.map(entryOf),
    ...(valid.length === 0 ? {} : { directory: valid.map(entryOf) }),
  })
  await putMeta(writer, { [segmentsName]: value })
}

/**
 * Names the place of a store that has no segments yet, before the first file of it lies there. A store that finds another
 * name at the place knows then that this is not what a killed process of its own left, but another store's.
 */
export async function namePlace(writer: Writer): Promise<void> {
  const manifest = await readManifest(writer)
  if (manifest.folder === '')
    await writeManifest(writer, manifest, { folder: randomUUID(), segments: [] })
}

function entryOf(segment: ManifestSegment): readonly unknown[] {
  const { stage, from, until, name, tier, bytes, isDamaged = false, first } = segment
  return [
    stage,
    from,
    until,
    name,
    tier,
    // Versions that know no sizes look for the mark here.
    ...(isDamaged ? [damagedMark] : []),
    ...(bytes === undefined ? [] : [bytes]),
    ...(first === undefined ? [] : [first]),
  ]
}

function namesWithin(
  segments: readonly ManifestSegment[],
  { stage, from, until }: ManifestSegment,
): string {
  const within = segmentsOf({ segments }, stage).filter(
    (each) => each.from < until && each.until > from,
  )
  return within.map(({ name }) => name).join()
}

/**
 * Says of every segment of a store whether `isDamaged`, for all processes that read it. Runs under the lease.
 * A text that says so already stays as it is.
 */
export async function markDamaged(
  writer: Writer,
  isDamaged: (segment: ManifestSegment) => boolean,
): Promise<void> {
  const manifest = await readManifest(writer)
  const { segments, folder } = manifest
  if (segments.every((each) => isDamaged(each) === (each.isDamaged === true))) return
  const marked = segments.map((each) => ({ ...each, isDamaged: isDamaged(each) }))
  await writeManifest(writer, manifest, { segments: marked, folder })
}

/** The manifest of `text`; empty text is that of a store without segments. */
export function parseManifest(text: string): Manifest {
  if (text === '') return { segments: [], directory: [], folder: '', serial: 0, text }
  const value = jsonOf(text)
  if (!isObject(value)) throw damaged()
  const { folder, serial, segments, directory = [] } = value
  if (typeof folder !== 'string' || !folderForm.test(folder) || !isHeight(serial)) throw damaged()
  if (!Array.isArray(directory)) throw damaged()
  const places = directory.map((each) => ({ ...parseEntry(each), isDirectory: true as const }))
  return { segments: parseSegments(segments), directory: places, folder, serial, text }
}

/** Segments as they are listed: stage, from, until, name and tier of each. Throws `store-failed`. */
export function parseSegments(entries: unknown): readonly ManifestSegment[] {
  if (!Array.isArray(entries)) throw damaged()
  const segments: ManifestSegment[] = []
  for (const entry of entries) {
    const segment = parseEntry(entry)
    const last = segments.findLast(({ stage }) => stage === segment.stage)
    if (last !== undefined && last.until !== segment.from) throw damaged()
    segments.push(segment)
  }
  return segments
}

function parseEntry(entry: unknown): ManifestSegment {
  if (!Array.isArray(entry)) throw damaged()
  const [stageName, from, until, name, tier, ...facts] = entry as unknown[]
  const stage = historyStages.find((each) => each === stageName)
  if (stage === undefined || !isHeight(from) || !isHeight(until)) throw damaged()
  if (typeof name !== 'string' || !nameForm.test(name) || !isHeight(tier)) throw damaged()
  if (from >= until) throw damaged()
  const bytes = facts.find(isHeight)
  const size = bytes === undefined ? {} : { bytes }
  const damage = facts.includes(damagedMark) ? { isDamaged: true } : {}
  const key: unknown = facts.find((each) => Array.isArray(each))
  const first = Array.isArray(key) ? { first: key.map(Number) } : {}
  return { stage, from, until, name, tier, ...size, ...damage, ...first }
}

/** Segments of one stage, in order of height. */
export function segmentsOf(
  { segments }: Pick<Manifest, 'segments'>,
  stage: HistoryStage,
): readonly ManifestSegment[] {
  return segments.filter((each) => each.stage === stage)
}

/** Height from which on the history of a stage lies in tables. */
export function frozenUntil({ segments }: Pick<Manifest, 'segments'>, stage: HistoryStage): number {
  return segments.findLast((each) => each.stage === stage)?.until ?? 0
}

/** Returns whether a value that others wrote is a height or a count. */
export function isHeight(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function damaged(): Fault {
  return new Fault('store-failed', 'list of segments is damaged')
}
