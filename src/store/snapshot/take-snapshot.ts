/** Takes a snapshot of stores into a folder, beside a running Firn. */

import { constants, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { assert, Fault, faultIn, faultOf } from '../../core/fault.ts'
import { checkpointHeights } from '../checkpoint.ts'
import { type Manifest, parseManifest, readManifest } from '../history/manifest.ts'
import { checkName, onDisk, putFile, segmentEnding } from '../history/segment-bytes.ts'
import { SegmentCache } from '../history/segment-cache.ts'
import { ownSchema } from '../history/segment-schema.ts'
import { metaText } from '../meta.ts'
import { openCopy, openStore, segmentFolder, type StoreLocation } from '../open.ts'
import { controlTables } from '../schema/control.ts'
import { SqliteConnection } from '../sqlite/connection.ts'
import { type CopiedStore, copyStore, presentTables } from './copy-store.ts'
import { sizeOf, storedFile, type SnapshotFolder } from './snapshot-folder.ts'
import {
  snapshotFormat,
  snapshotId,
  type SnapshotManifest,
  type StoredDocument,
  type StoredFile,
  type StoredSegment,
  type StoredStore,
} from './snapshot-manifest.ts'

/** A merge takes a segment away at most once in many seconds; twice in a row is rare. */
const attempts = 5

/** Sources of a snapshot, and the folder that it goes to. */
export type SnapshotWork = {
  readonly location: StoreLocation
  readonly stores: readonly CopiedStore[]
  /** Small files of the data folder, by path. */
  readonly documents: ReadonlyMap<string, Uint8Array>
  readonly folder: SnapshotFolder
  /** Segments that need not be copied, by their paths in the folder, with their bytes. */
  readonly kept?: ReadonlyMap<string, number>
  readonly firn: string
  readonly takenAt: Date
  /**
   * Called for each file once it is there, with what was copied for it: 0 where it lay there
   * already.
   */
  readonly report: (what: string, copiedBytes: number) => void
}

/**
 * Takes a snapshot and returns its id. A failed attempt leaves nothing; after a killed one the next
 * uses what is whole and removes the rest. Throws `lease-lost`, `store-*`.
 */
export async function takeSnapshot(work: SnapshotWork): Promise<string> {
  const { folder, firn, takenAt } = work
  const release = folder.claim()
  try {
    const stores: StoredStore[] = []
    for (const store of work.stores) stores.push(await storeCopied(work, store))
    const documents: StoredDocument[] = []
    for (const [path, content] of work.documents) {
      const part = join(work.folder.emptyPart('document'), 'content')
      onDisk(() => writeFileSync(part, content, { mode: 0o600 }))
      documents.push({ path, ...(await filed(work, part, path)) })
    }
    const manifest: SnapshotManifest = {
      format: snapshotFormat,
      firn,
      takenAt: takenAt.toISOString(),
      stores,
      documents,
    }
    const id = snapshotId(manifest)
    folder.putManifest(id, manifest)
    return id
  } finally {
    folder.removeParts()
    folder.removeUnnamed()
    release()
  }
}

async function storeCopied(work: SnapshotWork, store: CopiedStore): Promise<StoredStore> {
  for (let attempt = 1; ; attempt++) {
    // Most bytes are in segments: once they are copied little can change beside the tables.
    const before = await listedNow(work, store)
    for (const segment of before.segments) await copyOrLeave(work, store.name, segment)
    const part = work.folder.emptyPart('tables')
    const path = await copyTables(work.location, store, part)
    const facts = await factsOf(part, store)
    try {
      const segments: StoredSegment[] = []
      for (const each of facts.segments) segments.push(await segmentCopied(work, store.name, each))
      const tables = await filed(work, path, store.name)
      const { chainId, heights } = facts
      return { name: store.name, chainId, heights, tables, segments }
    } catch (error) {
      if (faultOf(error)?.code !== 'store-failed' || attempt === attempts) throw error
      // Only a merge removes a listed file.
      if ((await listedNow(work, store)).text === facts.listed) throw error
    }
  }
}

type StoreFacts = Pick<StoredStore, 'chainId' | 'heights'> & {
  readonly segments: Manifest['segments']
}

async function listedNow({ location }: SnapshotWork, store: CopiedStore): Promise<Manifest> {
  if (!hasControl(store)) return parseManifest('')
  await using database = await openStore(location, store.name, controlTables, 'read')
  return await readManifest(database)
}

/** Facts that the copied tables hold about themselves. Throws `store-version`. */
async function factsOf(
  part: string,
  store: CopiedStore,
): Promise<StoreFacts & { readonly listed: string }> {
  const place = { store: 'embedded', dataDir: part }
  const tables = hasControl(store) ? controlTables : store.tables
  await using copy = await openStore(place, store.name, tables, 'read')
  if (!hasControl(store)) return { chainId: '', heights: {}, segments: [], listed: '' }
  const { segments, text } = await readManifest(copy)
  const chainId = (await metaText(copy, 'chainId')) ?? ''
  return {
    chainId,
    heights: Object.fromEntries(await checkpointHeights(copy)),
    segments,
    listed: text,
  }
}

function hasControl({ tables }: CopiedStore): boolean {
  const names = new Set(tables.map(({ name }) => name))
  return names.has('meta') && names.has('checkpoint')
}

async function copyOrLeave(
  work: SnapshotWork,
  store: string,
  segment: Manifest['segments'][number],
): Promise<void> {
  try {
    await segmentCopied(work, store, segment)
  } catch (error) {
    // The tables show whether it is still needed.
    if (faultOf(error)?.code !== 'store-failed') throw error
  }
}

/** A segment in the folder, copied where it is not there. Throws `store-failed` for a damaged one. */
async function segmentCopied(
  { folder, location, kept, report }: SnapshotWork,
  store: string,
  segment: Manifest['segments'][number],
): Promise<StoredSegment> {
  const path = folder.segmentPath(store, segment)
  const label = `${store}: segment ${segment.name}`
  const from = join(segmentFolder(location, store), segment.name + segmentEnding)
  const there = sizeOf(path) ?? kept?.get(path)
  // It got its name once it was whole, checked and on disk; who copied the folder may have cut it off.
  if (there !== undefined && there === (sizeOf(from) ?? there)) {
    report(label, 0)
    return { ...segment, bytes: there }
  }
  if (sizeOf(from) === undefined && location.bucket !== undefined)
    await new SegmentCache(location.bucket, store).need(segment, ownSchema(segment.stage))
  if (sizeOf(from) === undefined)
    throw new Fault('store-failed', `segment is missing, run firn verify --store: ${from}`)
  const part = join(folder.emptyPart('segment'), segment.name)
  onDisk(() => copyFileSync(from, part, constants.COPYFILE_FICLONE))
  await checkName(part, segment.name)
  putFile(part, path)
  const bytes = sizeOf(path) ?? 0
  report(label, bytes)
  return { ...segment, bytes }
}

/** Puts a file under the hash of its content. */
async function filed(
  { folder, report }: SnapshotWork,
  part: string,
  label: string,
): Promise<StoredFile> {
  const file = await storedFile(part)
  const path = folder.filePath(file)
  const isThere = sizeOf(path) === file.bytes
  // What lies there may have been altered.
  putFile(part, path)
  report(label, isThere ? 0 : file.bytes)
  return file
}

/**
 * Copies the tables of a store into `<folder>/<name>.sqlite`, which must not exist. Throws
 * `store-version`, `store-failed`, `store-full`.
 */
async function copyTables(
  location: StoreLocation,
  store: CopiedStore,
  folder: string,
): Promise<string> {
  const path = join(folder, `${store.name}.sqlite`)
  if (location.store === 'embedded') {
    // Writes what the file `path` holds into the new file `into`. Throws `store-failed`, `store-full`.
    using connection = new SqliteConnection({
      path: join(location.dataDir, `${store.name}.sqlite`),
      name: store.name,
      readOnly: true,
      cachePages,
      busyTimeoutMs,
    })
    try {
      connection.exec(`vacuum into '${path.replaceAll("'", "''")}'`)
    } catch (error) {
      const fault = faultIn(error)
      // Either disk may be the one that fails.
      const message = `${fault.message}; it was being copied to ${path}`
      throw new Fault(fault.code, message, { cause: error, detail: fault.detail })
    }
    return path
  }
  await using from = await openStore(location, store.name, store.tables, 'read')
  const tables = await presentTables(from, store.tables)
  await using to = await openCopy({ store: 'embedded', dataDir: folder }, store.name, store.tables)
  await from.snapshot((reader) =>
    copyStore(store.name, { from: reader, to, tables }, () => undefined),
  )
  assert(await to.pace('follow'), 'nobody else has the copy open')
  return path
}

const busyTimeoutMs = 5_000
const cachePages = 512
