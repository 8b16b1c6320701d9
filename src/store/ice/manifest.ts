/** Which segments hold the history of a store, and up to where: one row of `meta`. */

import { Fault } from '../../core/fault.ts'
import { jsonOf } from '../../core/json.ts'
import { type Reader, statement, type Writer } from '../engine/database.ts'
import { meta, segmentsName } from '../schema/control.ts'

/** A segment and the heights it is of, half-open. */
export type ManifestSegment = {
  readonly from: number
  readonly until: number
  /** Name of its file, without ending: the hash of its content. */
  readonly name: string
  /** Number of times its rows were merged. */
  readonly tier: number
}

/** The frozen history of a store: segments in order of height, without gaps. */
export type Manifest = {
  readonly segments: readonly ManifestSegment[]
  /** The stored text. */
  readonly text: string
}

const question = statement('select value from meta where name = ?')
const nameForm = /^[0-9a-f]{32}$/

/** The manifest of a store as it is now. Throws `store-failed` where it is damaged. */
export async function readManifest(reader: Reader): Promise<Manifest> {
  const text = (await reader.get(question, [segmentsName]))?.[0] ?? ''
  return parseManifest(String(text))
}

/** Writes which segments hold the history; a store without any has no such row. */
export async function writeManifest(
  writer: Writer,
  segments: readonly ManifestSegment[],
): Promise<void> {
  const entries = segments.map(({ from, until, name, tier }) => [from, until, name, tier])
  if (entries.length === 0) {
    await writer.remove(meta, { name: [segmentsName] })
    return
  }
  await writer.upsert(meta, { name: [segmentsName], value: [JSON.stringify(entries)] })
}

/** The manifest of `text`; empty text is that of a store without segments. */
export function parseManifest(text: string): Manifest {
  if (text === '') return { segments: [], text }
  const segments: ManifestSegment[] = []
  const entries = jsonOf(text)
  if (!Array.isArray(entries)) throw damaged()
  for (const entry of entries) {
    if (!Array.isArray(entry)) throw damaged()
    const [from, until, name, tier = 0] = entry as unknown[]
    const last = segments.at(-1)
    const follows = last === undefined || last.until === from
    if (!isHeight(from) || !isHeight(until) || typeof name !== 'string') throw damaged()
    if (!follows || from >= until || !nameForm.test(name)) throw damaged()
    if (!isHeight(tier)) throw damaged()
    segments.push({ from, until, name, tier })
  }
  return { segments, text }
}

/** Height from which on the history lies in tables. */
export function frozenUntil({ segments }: Manifest): number {
  return segments.at(-1)?.until ?? 0
}

/** Returns whether a value that others wrote is a height or a count. */
export function isHeight(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function damaged(): Fault {
  return new Fault('store-failed', 'list of segments is damaged')
}
