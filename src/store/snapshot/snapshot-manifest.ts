/** The manifest of a snapshot: one file, written last, that names all others by their content. */

import { createHash } from 'node:crypto'

import { Fault } from '../../core/fault.ts'
import { isObject, jsonOf } from '../../core/json.ts'
import { isHeight, type ManifestSegment, parseSegments } from '../history/manifest.ts'

/** Version of the form of manifests. */
export const snapshotFormat = 1

/** A file of a snapshot, named by the SHA-256 of its content. */
export type StoredFile = { readonly sha256: string; readonly bytes: number }

/** A segment with the size of its file. */
export type StoredSegment = ManifestSegment & { readonly bytes: number }

/** A store: its tables as one SQLite file, whatever the engine was, and its segments. */
export type StoredStore = {
  readonly name: string
  /** Id of its EVM chain; empty where it is of none. */
  readonly chainId: string
  /** Last height of each stage. */
  readonly heights: Readonly<Record<string, number>>
  readonly tables: StoredFile
  /** In order of height, without gaps. */
  readonly segments: readonly StoredSegment[]
}

/** A small file of a data folder: keys, aliases, an identity. */
export type StoredDocument = StoredFile & { readonly path: string }

/** A snapshot. */
export type SnapshotManifest = {
  readonly format: number
  /** Version of the product that took it. */
  readonly firn: string
  /** ISO 8601, UTC. */
  readonly takenAt: string
  readonly stores: readonly StoredStore[]
  readonly documents: readonly StoredDocument[]
}

const storeForm = /^[a-z0-9-]{1,48}$/
const hashForm = /^[0-9a-f]{64}$/
/** Never leads out of the folder, nor to a store. */
const documentForm = /^(?:[a-z0-9-]+\/)?[a-z0-9-]+\.(?:json|key|txt|crt)$/

/** The file of a manifest: a line of JSON, and the hash of that line. */
export function manifestText(manifest: SnapshotManifest): string {
  const line = JSON.stringify(manifest)
  return `${line}\n${hashOf(line)}\n`
}

/**
 * The manifest in a file at `place`. Throws `store-version` for one of a newer Firn and for a foreign
 * file, `store-failed` for one that is cut off or altered.
 */
export function parseSnapshot(text: string, place: string): SnapshotManifest {
  const [line = '', hash = '', ...rest] = text.split('\n')
  if (hash !== hashOf(line) || rest.join('') !== '') {
    if (!line.startsWith('{"format":')) throw foreign(place)
    throw new Fault('store-failed', `snapshot is cut off or altered: ${place}`)
  }
  const value = jsonOf(line)
  if (!isObject(value)) throw foreign(place)
  const { format, firn, takenAt } = value
  if (!isHeight(format) || format === 0) throw foreign(place)
  if (format > snapshotFormat)
    throw new Fault(
      'store-version',
      `snapshot is of a newer Firn (form ${format}, known ${snapshotFormat}): ${place}`,
    )
  if (typeof firn !== 'string' || typeof takenAt !== 'string') throw foreign(place)
  try {
    const stores = listOf(value['stores']).map(storeOf)
    const documents = listOf(value['documents']).map((value) => {
      const fields = fieldsOf(value)
      const { path } = fields
      if (typeof path !== 'string' || !documentForm.test(path)) throw damaged()
      return { path, ...fileOf(fields) }
    })
    return { format, firn, takenAt, stores, documents }
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new Fault('store-failed', `snapshot is damaged: ${place}`, { cause })
  }
}

/** Id of a snapshot: when it was taken, as the name of a file. */
export function snapshotId({ takenAt }: Pick<SnapshotManifest, 'takenAt'>): string {
  return takenAt.replaceAll(/[:.]/g, '-')
}

/** Returns whether a store is the history of an EVM chain. */
export function isOfChain({ chainId, heights }: StoredStore): boolean {
  return chainId !== '' && heights['blocks'] !== undefined
}

/** Bytes of all files of a snapshot; what it shares with others is counted, too. */
export function bytesOf({ stores, documents }: SnapshotManifest): number {
  const files = [...stores.flatMap(({ tables, segments }) => [tables, ...segments]), ...documents]
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

function storeOf(value: unknown): StoredStore {
  const { name, chainId, heights, tables, segments } = fieldsOf(value)
  if (typeof name !== 'string' || !storeForm.test(name)) throw damaged()
  if (typeof chainId !== 'string' || !isObject(heights)) throw damaged()
  const entries = Object.entries(heights).map(([stage, height]): [string, number] => {
    if (!isHeight(height)) throw damaged()
    return [stage, height]
  })
  const sizes = listOf(segments).map((each) => fieldsOf(each)['bytes'])
  return {
    name,
    chainId,
    heights: Object.fromEntries(entries),
    tables: fileOf(tables),
    segments: segmentsOf(segments).map((segment, at) => {
      const bytes = sizes[at]
      if (!isHeight(bytes)) throw damaged()
      return { ...segment, bytes }
    }),
  }
}

/** Their form is that of the list in a store. */
function segmentsOf(value: unknown): readonly ManifestSegment[] {
  const entries = listOf(value).map((each) => {
    const { stage, from, until, name, tier } = fieldsOf(each)
    return [stage, from, until, name, tier]
  })
  return parseSegments(entries)
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw damaged()
  return value
}

function fileOf(value: unknown): StoredFile {
  const { sha256, bytes } = fieldsOf(value)
  if (typeof sha256 !== 'string' || !hashForm.test(sha256) || !isHeight(bytes)) throw damaged()
  return { sha256, bytes }
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw damaged()
  return value
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function foreign(place: string): Fault {
  return new Fault('store-version', `file is no snapshot of Firn: ${place}`)
}

function damaged(): Fault {
  return new Fault('store-failed', 'a value has another form')
}
