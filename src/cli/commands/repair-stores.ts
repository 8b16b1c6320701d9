import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { Fault } from '../../core/fault.ts'
import { repairChain } from '../../indexing/evm/repair/repair-chain.ts'
import { claimDataFolder } from '../../service/stores/data-folder.ts'
import { isWebAddress } from '../../service/stores/fetch-segment.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import { statement } from '../../store/engine/database.ts'
import { openSqliteReader, openSqliteWriter } from '../../store/engine/sqlite/sqlite.ts'
import type { Table } from '../../store/engine/table.ts'
import { holdLease } from '../../store/lease.ts'
import { openStore } from '../../store/open.ts'
import { icmTables } from '../../store/schema/icm.ts'
import { logTables } from '../../store/schema/logs.ts'
import { copyReadable } from '../../store/sums/copy-readable.ts'
import { openWorld } from '../../world/world.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import {
  configOf,
  type ConfiguredStore,
  configuredStores,
  openConfigured,
} from '../stores/configured-stores.ts'
import { removeStore, repairPrimary } from '../stores/repair-primary.ts'
import { repairSegments } from '../stores/repair-segments.ts'
import { isWhole, printVerdict, type RepairWork, verdictOf } from '../stores/store-verdict.ts'
import { takeStore } from '../stores/take-store.ts'

/**
 * Checks every store and mends what is damaged, then checks it again. Firn must not be running on
 * them. Exit code 1 when something could not be mended, which is said.
 */
export async function repairStores(flags: Flags): Promise<void> {
  const config = await configOf(flags)
  const world = openWorld()
  const stores = await configuredStores(config)
  const names = stores.map(({ key }) => key)
  const release = await claimDataFolder(config, names, world.clock)
  const owner = `repair-${Buffer.from(world.random.bytes(4)).toString('hex')}`
  const copies = typeof flags['copies'] === 'string' ? { copies: placeOf(flags['copies']) } : {}
  let isAllWhole = true
  for (const store of stores) {
    const verdict = await verdictOf(store, () => openConfigured(config, store))
    printVerdict(store, verdict)
    if (isWhole(verdict)) continue
    const isMended =
      verdict.hasSums && (await mended({ config, store, verdict, world, owner, ...copies }))
    isAllWhole &&= isMended
  }
  release()
  await world.close()
  if (!isAllWhole) process.exitCode = exitCodes.failed
}

function placeOf(copies: string): string {
  return isWebAddress(copies) ? copies : resolve(copies)
}

async function mended(work: RepairWork): Promise<boolean> {
  const { store, config } = work
  const isDone = await repairOf[store.kind](work)
  if (!isDone) return false
  const after = await verdictOf(store, () => openConfigured(config, store))
  printVerdict(store, after)
  return isWhole(after)
}

/** Mends a store of a kind; false where that cannot be done, which was said. */
const repairOf: Readonly<Record<ConfiguredStore['kind'], (work: RepairWork) => Promise<boolean>>> =
  {
    evm: repairEvm,
    logs: repairLogs,
    primary: repairPrimary,
    icm: repairMessages,
  }

async function repairEvm(work: RepairWork): Promise<boolean> {
  const { config, store } = work
  let { verdict } = work
  if (verdict.segments.length > 0) {
    if (!(await repairSegments(work))) return false
    verdict = await verdictOf(store, () => openConfigured(config, store))
  }
  const isBroken =
    verdict.structure.length > 0 || verdict.damaged.some(({ found }) => found === undefined)
  if (isBroken && config.store === 'embedded') {
    try {
      const kept = await salvage(config.dataDir, store.key, store.tables)
      console.log(`${store.key}: what can be read is in a new file; the damaged one is ${kept}`)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      console.log(`${store.key}: its file is beyond repair (${error.message}):`)
      console.log(
        `  delete ${join(config.dataDir, `${store.key}.sqlite`)}*, and start; it is indexed again`,
      )
      return false
    }
    verdict = await verdictOf(store, () => openConfigured(config, store))
  }
  if (verdict.damaged.length > 0) await mendRows({ ...work, verdict })
  return true
}

async function mendRows({ config, store, verdict, world, owner }: RepairWork): Promise<void> {
  const database = await openStore(storeLocation(config), store.key, store.tables, 'write')
  try {
    const { clock } = world
    const lease = await takeStore(database, owner, clock)
    const log = (line: string): void => console.log(`${store.key}: ${line}`)
    await repairChain({ database, lease, clock, log }, verdict.damaged)
  } finally {
    await database.close()
  }
}

const forgetHeights = statement('delete from checkpoint')

/** Empties the store of messages; the next start fills it again, without a node. Returns true. */
function repairMessages(work: RepairWork): Promise<boolean> {
  const says = 'it is joined again from the stored chains when Firn runs'
  return emptied(work, { tables: icmTables, says })
}

/** Empties a store of logs; the next start reads them again from a node. Returns true. */
function repairLogs(work: RepairWork): Promise<boolean> {
  return emptied(work, { tables: logTables, says: 'its logs are read again when Firn runs' })
}

async function emptied(
  { config, store, world, owner }: RepairWork,
  { tables, says }: { readonly tables: readonly Table[]; readonly says: string },
): Promise<boolean> {
  console.log(`${store.key}: emptied; ${says}`)
  if (config.store === 'embedded') {
    // Nothing of the file is needed, so nothing of it needs to be readable.
    removeStore(config.dataDir, store.key)
    await (await openStore(storeLocation(config), store.key, store.tables, 'write')).close()
    return true
  }
  const database = await openStore(storeLocation(config), store.key, store.tables, 'write')
  const { clock } = world
  const lease = await takeStore(database, owner, clock)
  await database.transaction(async (writer) => {
    await holdLease(writer, lease, clock)
    for (const table of tables) await writer.clear(table)
    await writer.run(forgetHeights)
  })
  await database.close()
  return true
}

/**
 * Salvages the embedded store `key` of a folder. Returns the path under which the damaged file stays.
 * Nobody else may have the store open. Throws `store-failed` where the file cannot be opened or its
 * sums cannot be read.
 */
export async function salvage(
  dataDir: string,
  key: string,
  tables: readonly Table[],
): Promise<string> {
  const folder = join(dataDir, 'salvaged')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const path = join(dataDir, `${key}.sqlite`)
  const made = join(folder, `${key}.sqlite`)
  const from = openSqliteReader({ path, name: key, tables })
  try {
    const to = openSqliteWriter({ path: made, name: key, tables })
    try {
      await copyReadable(from, to, tables)
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
  const kept = `${path}-damaged`
  renameSync(path, kept)
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix)
  renameSync(made, path)
  rmSync(folder, { recursive: true, force: true })
  return kept
}
