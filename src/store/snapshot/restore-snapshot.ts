/**
 * Makes a data folder of a snapshot, and its stores in PostgreSQL where these are to lie there.
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

import { Fault, faultIn, faultOf } from '../../core/fault.ts'
import { markCopied } from '../copied-history.ts'
import { type Database, statement } from '../engine/database.ts'
import { sqliteDdl } from '../engine/ddl.ts'
import { storedLayout } from '../engine/layout.ts'
import { readManifest } from '../history/manifest.ts'
import { identityName, onDisk, putFile } from '../history/segment-bytes.ts'
import { putIdentity } from '../history/segment-folder.ts'
import { layoutsAt, ownLayout } from '../migrations/migrations.ts'
import { openStore } from '../open.ts'
import { controlTables, storeLayout } from '../schema/control.ts'
import { chainTables } from '../schema/stores.ts'
import type { Table } from '../schema/table.ts'
import {
  checkServersFree,
  copyIntoServers,
  nameInServers,
  type ServerStores,
} from './restore-into-servers.ts'
import type { SnapshotFile, SnapshotFolder } from './snapshot-folder.ts'
import {
  isOfChain,
  manifestText,
  parseSnapshot,
  snapshotId,
  type SnapshotManifest,
  type StoredStore,
} from './snapshot-manifest.ts'

const restoringName = 'firn-restoring'
/** In it: which snapshot it is, that all of it was checked, that PostgreSQL has copies of its stores. */
const whichName = 'snapshot.json'
const checkedName = 'checked'
const copiedName = 'copied'

/** A snapshot, and what becomes of it. */
export type Restoring = {
  readonly folder: SnapshotFolder
  readonly manifest: SnapshotManifest
  /** Must be missing or empty, or left by a restore of the same snapshot that was ended. */
  readonly dataDir: string
  /** True where the history is believed; else it is marked as copied and compared with a node. */
  readonly isTrusted: boolean
  /** Where stores lie on PostgreSQL. */
  readonly into: ServerStores | undefined
  /** Called for each file once it is there, and of rows that PostgreSQL has. */
  readonly report: (what: string) => void
}

/**
 * Makes a data folder of a snapshot. A failed attempt leaves the folder as it was; a killed one is
 * continued by the next. Throws `bad-config` for another folder, `store-*`.
 */
export async function restoreSnapshot(of: Restoring): Promise<void> {
  const { folder, manifest, dataDir, into, report } = of
  const isNew = !existsSync(dataDir)
  const restoring = join(dataDir, restoringName)
  const isBegun = begun(dataDir, manifestText(manifest))
  const files = folder.files(manifest)
  if (into !== undefined && !isBegun) await checkServersFree(into)
  if (!isBegun || !existsSync(join(restoring, checkedName))) {
    try {
      await stage(of, restoring, files)
    } catch (error) {
      rmSync(isNew ? dataDir : restoring, { recursive: true, force: true })
      throw error
    }
  }
  const inServers =
    into === undefined ? new Set<string>() : await putIntoServers(into, restoring, report)
  const identities = manifest.stores.map(({ name }) => join('segments', name, identityName))
  for (const to of [...identities, ...files.map((file) => file.to)]) {
    if (inServers.has(to)) continue
    const staged = join(restoring, 'files', to)
    // Moved before an earlier attempt ended.
    if (existsSync(staged)) putFile(staged, join(dataDir, to))
    if (!identities.includes(to)) report(to)
  }
  rmSync(restoring, { recursive: true, force: true })
}

/** Puts stores and documents into PostgreSQL. Returns the names of their files. */
async function putIntoServers(
  into: ServerStores,
  restoring: string,
  report: (what: string) => void,
): Promise<ReadonlySet<string>> {
  const folder = join(restoring, 'files')
  const documents = into.documents.filter((name) => existsSync(join(folder, name)))
  if (!existsSync(join(restoring, copiedName))) {
    const contents = documents.map((name) => [name, readFileSync(join(folder, name))] as const)
    await copyIntoServers(into, { folder, documents: new Map(contents) }, report)
    onDisk(() => writeFileSync(join(restoring, copiedName), ''))
  }
  await nameInServers(into)
  return new Set([...into.stores.map(({ name }) => `${name}.sqlite`), ...documents])
}

/** Copies everything into the folder `restoring` and checks it there. */
async function stage(
  { manifest, isTrusted, report }: Restoring,
  restoring: string,
  files: readonly SnapshotFile[],
): Promise<void> {
  onDisk(() => {
    mkdirSync(restoring, { recursive: true, mode: 0o700 })
    const which = join(restoring, whichName)
    writeFileSync(`${which}.part`, manifestText(manifest), { mode: 0o600 })
    renameSync(`${which}.part`, which)
  })
  const staged = join(restoring, 'files')
  for (const file of files) {
    await copied(file, staged)
    report(file.to)
  }
  for (const store of manifest.stores) {
    await checkStore(staged, store)
    if (!isTrusted && isOfChain(store)) await mark(staged, store)
  }
  onDisk(() => writeFileSync(join(restoring, checkedName), ''))
}

/** Id of the snapshot whose restore into a folder was begun; `undefined` where none was. */
export function begunSnapshot(dataDir: string): string | undefined {
  const which = join(dataDir, restoringName, whichName)
  if (!existsSync(which)) return undefined
  return snapshotId(parseSnapshot(readFileSync(which, 'utf8'), which))
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

async function copied({ from, to, check }: SnapshotFile, restoring: string): Promise<void> {
  const path = join(restoring, to)
  // It got this name once it was whole.
  if (existsSync(path)) return
  const part = `${path}.part`
  onDisk(() => mkdirSync(dirname(path), { recursive: true, mode: 0o700 }))
  if (!existsSync(from)) throw new Fault('store-failed', `file of a snapshot is missing: ${from}`)
  onDisk(() => copyFileSync(from, part, constants.COPYFILE_FICLONE))
  try {
    await check(part)
  } catch (cause) {
    rmSync(part, { force: true })
    if (!(cause instanceof Fault)) throw cause
    throw new Fault(cause.code, cause.message.replaceAll(part, from), { cause })
  }
  onDisk(() => renameSync(part, path))
}

const declared = statement('select name, sql from sqlite_schema where sql is not null')

/** A declaration as SQLite keeps it, which writes the first words in its own way. */
function asKept(sql: string): string {
  return sql.replace(
    /^create (unique index|index|table) (?:if not exists )?/i,
    (_words, what: string) => `create ${what.toLowerCase()} `,
  )
}

/**
 * Throws `store-version`, and `store-failed` where a declaration differs from that of its layout by a
 * letter, or the tables belong to other segments.
 */
async function checkStore(dataDir: string, stored: StoredStore): Promise<void> {
  const { name, segments } = stored
  const { store, tables } = await openAsWritten(dataDir, name)
  try {
    // A trigger, view, check or virtual table in a file from elsewhere would run with our rights, also while
    // the store is brought to the layout of this version.
    const ours = new Set([storeLayout, ...tables].flatMap((table) => sqliteDdl(table).map(asKept)))
    const foreign = (await store.all(declared)).find(([, sql]) => !ours.has(asKept(String(sql))))
    if (foreign !== undefined)
      throw new Fault('store-failed', `store has a part that is not of Firn: ${name} ${foreign[0]}`)
    if (segments.length === 0 && !isOfChain(stored)) return
    const { segments: own, folder } = await readManifest(store)
    if (own.length > 0) putIdentity(join(dataDir, 'segments', name), folder)
    const listed = own.map((each) => each.name)
    if (listed.join() !== segments.map((each) => each.name).join())
      throw new Fault('store-failed', `snapshot lists other segments than its store: ${name}`)
  } finally {
    await store.close()
  }
}

/** Opens a store in the layout it has, and gives the tables of that. */
async function openAsWritten(
  dataDir: string,
  name: string,
): Promise<{ readonly store: Database; readonly tables: readonly Table[] }> {
  const place = { store: 'embedded', dataDir }
  try {
    const store = await openStore(place, name, controlTables, 'read')
    const layout = (await storedLayout(store))?.number ?? ownLayout
    return { store, tables: layoutsAt(layout).tables }
  } catch (error) {
    const { layout } = faultOf(error)?.detail ?? {}
    if (typeof layout !== 'number') throw error
    const layouts = layoutsAt(layout)
    const store = await openStore({ ...place, layouts }, name, controlTables, 'read')
    return { store, tables: layouts.tables }
  }
}

/** Says in a store that its history was copied. */
async function mark(dataDir: string, { name }: StoredStore): Promise<void> {
  await using store = await openStore({ store: 'embedded', dataDir }, name, chainTables, 'write')
  await store.transaction(markCopied)
  // So that one file is moved to its place, and no log beside it.
  if (!(await store.pace('follow')))
    throw new Fault('store-failed', `store is read by another process: ${name}`)
}

/** Problems of the files of a snapshot, a sentence each. Cost: every byte is read. */
export async function problemsOf(
  folder: SnapshotFolder,
  manifest: SnapshotManifest,
): Promise<readonly string[]> {
  const problems: string[] = []
  for (const { from, check } of folder.files(manifest))
    try {
      await check(from)
    } catch (error) {
      const fault = faultIn(error)
      problems.push(fault.message)
    }
  return problems
}
