import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

import type { Config } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import { version } from '../../core/version.ts'
import { documentNames } from '../../service/documents/documents.ts'
import { withBucket } from '../../service/stores/bucket-settings.ts'
import { serverOf, storeLocation } from '../../service/stores/store-location.ts'
import { bucketAddress, isBucket } from '../../store/bucket/bucket-address.ts'
import { plainBucket } from '../../store/bucket/open-bucket.ts'
import { BucketSnapshots } from '../../store/snapshot/bucket-snapshots.ts'
import type { ServerStores } from '../../store/snapshot/restore-into-servers.ts'
import {
  problemsOf,
  begunSnapshot,
  checkNotRestoring,
  restoreSnapshot,
} from '../../store/snapshot/restore-snapshot.ts'
import { type ListedSnapshot, SnapshotFolder } from '../../store/snapshot/snapshot-folder.ts'
import {
  bytesOf,
  isOfChain,
  type SnapshotManifest,
} from '../../store/snapshot/snapshot-manifest.ts'
import { takeSnapshot } from '../../store/snapshot/take-snapshot.ts'
import { openWorld } from '../../world/world.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import {
  configOf,
  documentsAt,
  madeStores,
  nothingIndexed,
  storesOf,
} from '../stores/configured-stores.ts'
import { sizeText } from '../stores/size-text.ts'
import { progressLines } from '../stores/store-verdict.ts'

/** Files of a data folder that are small and not documents, by path. */
const liveOnce = 'live-once.txt'
const identity = 'staking'

/** Takes a snapshot, beside a running Firn or without one, and prints its id. */
export async function createSnapshot(target: string, flags: Flags): Promise<void> {
  const config = await configOf(flags)
  checkNotRestoring(config.dataDir)
  const world = openWorld()
  const location = withBucket(storeLocation(config), config, world)
  const { stores, others } = await madeStores(config)
  if (stores.length === 0) throw nothingIndexed(config)
  if (!isBucket(target) && isWithin(config.dataDir, target))
    throw new Fault('bad-parameter', `snapshots lie outside of the data folder: ${resolve(target)}`)
  const progress = progressLines()
  await withSnapshots(target, { isMade: true }, async (folder, bucket) => {
    const kept = (await bucket?.kept(folder)) ?? new Map<string, number>()
    let copied = 0
    const id = await takeSnapshot({
      location,
      stores,
      documents: new Map([...(await documentsAt(location)), ...smallFiles(config.dataDir)]),
      folder,
      kept,
      firn: version,
      takenAt: new Date(world.clock.now()),
      report: (what, bytes) => {
        copied += bytes
        progress(`${what}, ${sizeText(copied)} copied`)
      },
    })
    const taken = folder.snapshot(id)
    await bucket?.put(folder, taken, kept)
    for (const name of others) console.error(`left out, no setting names it: ${name}`)
    const all = sizeText(bytesOf(taken))
    console.log(`${id}: ${all}, of which ${sizeText(copied)} were copied now`)
  })
}

/** Returns whether a path leads into a folder, or to it, through links, too. */
function isWithin(folder: string, path: string): boolean {
  const way = relative(placeOf(folder), placeOf(path))
  return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`)
}

/** Where a path leads, of which the last parts may not be there yet. */
function placeOf(path: string): string {
  const full = resolve(path)
  return existsSync(full) || dirname(full) === full
    ? realpathSync(full)
    : join(placeOf(dirname(full)), basename(full))
}

/**
 * Does `work` in the folder at a place, which is made there or has snapshots. Of a bucket it is a folder of the system's
 * temporary one, that has the manifests and is removed at the end. Throws `not-found` where there are none.
 */
async function withSnapshots(
  place: string,
  { isMade }: { readonly isMade: boolean },
  work: (folder: SnapshotFolder, bucket: BucketSnapshots | undefined) => Promise<void>,
): Promise<void> {
  if (!isBucket(place)) {
    const path = resolve(place)
    return work(isMade ? SnapshotFolder.make(path) : new SnapshotFolder(path), undefined)
  }
  const world = openWorld()
  const address = bucketAddress(place, 'the place of snapshots')
  const bucket = new BucketSnapshots(plainBucket(address, world), world.clock.now)
  const path = mkdtempSync(join(tmpdir(), 'firn-snapshots-'))
  try {
    const folder = await bucket.openAt(path)
    if (!isMade && folder.list().length === 0)
      throw new Fault('not-found', `there are no snapshots: ${place}`)
    await work(folder, bucket)
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}

/** Prints when each snapshot was taken, of which chains up to which heights, and its size. */
export function listSnapshots(target: string, flags: Flags): Promise<void> {
  return withSnapshots(target, { isMade: false }, async (folder) =>
    printSnapshots(folder.list(), flags),
  )
}

function printSnapshots(all: readonly ListedSnapshot[], flags: Flags): void {
  if (flags['json'] === true) {
    const plain = all.map(({ id, manifest, problem }) => ({
      id,
      ...(manifest === undefined
        ? { problem: problem?.message }
        : { ...manifest, bytes: bytesOf(manifest) }),
    }))
    console.log(JSON.stringify({ snapshots: plain }, undefined, 2))
    return
  }
  for (const { id, manifest, problem } of all) {
    if (manifest === undefined) console.log(`${id}  ${problem?.message ?? ''}`)
    else {
      const { takenAt, firn, stores } = manifest
      console.log(`${id}  taken ${takenAt} by Firn ${firn}, ${sizeText(bytesOf(manifest))}`)
      for (const { name, chainId, heights, tables, segments } of stores) {
        const far = Object.entries(heights).map(([stage, height]) => `${stage} ${height}`)
        const bytes = segments.reduce((sum, each) => sum + each.bytes, tables.bytes)
        const parts = [
          ...(chainId === '' ? [] : [`chain ${chainId}`]),
          ...far,
          ...(segments.length === 0 ? [] : [`${segments.length} segments`]),
          sizeText(bytes),
        ]
        console.log(`  ${name}: ${parts.join(', ')}`)
      }
    }
  }
}

/** Reads a snapshot whole and prints what is wrong; exit code 1 when anything is. */
export async function verifySnapshot(target: string, flags: Flags): Promise<void> {
  await withSnapshots(target, { isMade: false }, async (folder, bucket) => {
    const manifest = folder.snapshot(idOf(flags))
    const problems =
      (await bucket?.problemsOf(folder, manifest, fetchedLines())) ??
      (await problemsOf(folder, manifest))
    for (const problem of problems) console.log(`DAMAGED ${problem}`)
    if (problems.length > 0) process.exitCode = exitCodes.failed
    else console.log(`${manifest.id}: all ${sizeText(bytesOf(manifest))} are as they were written`)
  })
}

function fetchedLines(): (what: string, bytes: number) => void {
  const progress = progressLines()
  let fetched = 0
  return (what, bytes) => progress(`${what}, ${sizeText((fetched += bytes))} fetched`)
}

/** Makes a data folder of a snapshot; stores go where the configuration says. */
export async function restore(from: string, flags: Flags): Promise<void> {
  const config = await configOf(flags)
  await withSnapshots(from, { isMade: false }, (folder, bucket) =>
    restoreFrom(folder, bucket, { config, flags }),
  )
}

async function restoreFrom(
  folder: SnapshotFolder,
  bucket: BucketSnapshots | undefined,
  { config, flags }: { readonly config: Config; readonly flags: Flags },
): Promise<void> {
  const dataDir = resolve(config.dataDir)
  const isTrusted = flags['trust'] === true
  // A restore that was begun is continued, even where there is a newer snapshot by now.
  const { id, ...manifest } = folder.snapshot(idOf(flags) ?? begunSnapshot(dataDir))
  await bucket?.fetch(folder, manifest, fetchedLines())
  const into = config.store === 'embedded' ? undefined : intoServers(config, manifest)
  await restoreSnapshot({ folder, manifest, dataDir, isTrusted, into, report: progressLines() })
  console.log(`${id} is restored: ${dataDir}`)
  const copied = manifest.stores.filter(isOfChain).map(({ name }) => name)
  if (!isTrusted && copied.length > 0)
    console.log(
      `Called copied until a node has confirmed it, see index.checkCopied: ${copied.join()}`,
    )
}

/**
 * Stores of a snapshot that lie on PostgreSQL by `config`; those that it does not name are
 * reported.
 */
function intoServers(config: Config, { stores }: SnapshotManifest): ServerStores {
  const location = storeLocation(config)
  const names = new Set(stores.map(({ name }) => name))
  const known = storesOf(config).filter(({ name }) => names.delete(name))
  for (const name of names) console.error(`stays a file, no setting names it: ${name}`)
  return { serverOf: (name) => serverOf(location, name), stores: known, documents: documentNames }
}

function idOf(flags: Flags): string | undefined {
  const id = flags['snapshot']
  return typeof id === 'string' ? id : undefined
}

/** Files beside stores and documents: the chains that were live once, and our identity. */
function smallFiles(dataDir: string): ReadonlyMap<string, Uint8Array> {
  const folder = join(dataDir, identity)
  const names = existsSync(folder) ? readdirSync(folder) : []
  const paths = [liveOnce, ...names.map((name) => `${identity}/${name}`)]
  return new Map(
    paths
      .filter((path) => /\.(?:txt|key|crt)$/.test(path) && existsSync(join(dataDir, path)))
      .map((path) => [path, readFileSync(join(dataDir, path))]),
  )
}
