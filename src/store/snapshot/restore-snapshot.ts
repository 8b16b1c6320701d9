/**
 * Makes a data folder of a snapshot.
 *
 * Everything is copied into `firn-restoring` of that folder and checked there; only then it is moved to its
 * places. No Firn starts while that is there, so that nobody sees a part.
 */

import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

import { Fault } from '../../core/fault.ts'
import { openStore } from '../engine/open.ts'
import { readManifest } from '../ice/manifest.ts'
import { onDisk, segmentEnding } from '../ice/segment-writer.ts'
import { controlTables } from '../schema/control.ts'
import { checkFile, checkSegment, putFile, type SnapshotFolder } from './snapshot-folder.ts'
import { manifestText, type SnapshotManifest, type StoredStore } from './snapshot-manifest.ts'

const restoringName = 'firn-restoring'
/** In it: which snapshot it is, and that all of it was checked. */
const whichName = 'snapshot.json'
const checkedName = 'checked'

/** A file to restore: its path in both folders, and what throws where it is another. */
type Restored = {
  readonly from: string
  readonly to: string
  readonly check: (path: string) => void
}

/**
 * Makes the data folder `dataDir`, which must be missing or empty, or left by a restore of the same
 * snapshot that was killed. One that fails leaves it as it was. Throws `bad-config` for another folder,
 * `store-*`.
 */
export async function restoreSnapshot(
  folder: SnapshotFolder,
  manifest: SnapshotManifest,
  dataDir: string,
  told: (file: string) => void,
): Promise<void> {
  const isNew = !existsSync(dataDir)
  const restoring = join(dataDir, restoringName)
  const isBegun = begun(dataDir, manifestText(manifest))
  const files = filesOf(folder, manifest)
  if (!isBegun || !existsSync(join(restoring, checkedName))) {
    try {
      onDisk(() => {
        mkdirSync(restoring, { recursive: true, mode: 0o700 })
        const which = join(restoring, whichName)
        writeFileSync(`${which}.part`, manifestText(manifest), { mode: 0o600 })
        renameSync(`${which}.part`, which)
      })
      for (const file of files) {
        copied(file, join(restoring, 'files'))
        told(file.to)
      }
      for (const store of manifest.stores) await checkStore(join(restoring, 'files'), store)
      onDisk(() => writeFileSync(join(restoring, checkedName), ''))
    } catch (error) {
      rmSync(isNew ? dataDir : restoring, { recursive: true, force: true })
      throw error
    }
  }
  for (const { to } of files) {
    const staged = join(restoring, 'files', to)
    // Moved before an earlier attempt ended.
    if (existsSync(staged)) putFile(staged, join(dataDir, to))
    told(to)
  }
  rmSync(restoring, { recursive: true, force: true })
}

/** Throws `lease-lost` while a snapshot is being restored into a data folder. */
export function checkNotRestoring(dataDir: string): void {
  if (!existsSync(join(dataDir, restoringName))) return
  throw new Fault(
    'lease-lost',
    `a snapshot is not restored whole; run the same firn snapshot restore again: ${dataDir}`,
  )
}

/** Returns whether a restore of the same snapshot was begun. Throws `bad-config` where the folder is not free. */
function begun(dataDir: string, text: string): boolean {
  const there = existsSync(dataDir) ? onDisk(() => readdirSync(dataDir)) : []
  if (there.length === 0) return false
  if (!there.includes(restoringName))
    throw new Fault('bad-config', `a snapshot is restored into an empty folder only: ${dataDir}`)
  const which = join(dataDir, restoringName, whichName)
  // Else it was killed before it wrote which one: nothing else was.
  const known = existsSync(which) ? readFileSync(which, 'utf8') : ''
  if (known !== '' && known !== text)
    throw new Fault('bad-config', `another snapshot is being restored here; empty it: ${dataDir}`)
  return known === text
}

function filesOf(folder: SnapshotFolder, manifest: SnapshotManifest): Restored[] {
  const ofStores = manifest.stores.flatMap(({ name, tables, segments }): Restored[] => [
    {
      from: folder.filePath(tables),
      to: `${name}.sqlite`,
      check: (path) => checkFile(path, tables),
    },
    ...segments.map((segment) => ({
      from: folder.segmentPath(name, segment),
      to: join('segments', name, segment.name + segmentEnding),
      check: (path: string) => checkSegment(path, segment),
    })),
  ])
  const documents = manifest.documents.map((file): Restored => ({
    from: folder.filePath(file),
    to: file.path,
    check: (path) => checkFile(path, file),
  }))
  return [...ofStores, ...documents]
}

function copied({ from, to, check }: Restored, restoring: string): void {
  const path = join(restoring, to)
  // It got this name once it was whole.
  if (existsSync(path)) return
  if (!existsSync(from)) throw new Fault('store-failed', `file of a snapshot is missing: ${from}`)
  const part = `${path}.part`
  onDisk(() => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    copyFileSync(from, part, constants.COPYFILE_FICLONE)
  })
  try {
    check(part)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new Fault(cause.code, cause.message.replaceAll(part, from), { cause })
  }
  onDisk(() => renameSync(part, path))
}

/** Throws `store-version`, and `store-failed` where the tables are of other segments. */
async function checkStore(dataDir: string, { name, segments }: StoredStore): Promise<void> {
  const place = { store: 'embedded', dataDir }
  const store = await openStore(place, name, controlTables, 'read')
  try {
    if (segments.length === 0) return
    const listed = (await readManifest(store)).segments.map((each) => each.name)
    if (listed.join() !== segments.map((each) => each.name).join())
      throw new Fault('store-failed', `snapshot lists other segments than its store: ${name}`)
  } finally {
    await store.close()
  }
}
