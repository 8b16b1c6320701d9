import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { Fault } from '../../core/fault.ts'
import { repairChain } from '../../indexing/evm/repair/repair-chain.ts'
import { claimDataFolder } from '../../service/stores/data-folder.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import { openStore } from '../../store/open.ts'
import type { Table } from '../../store/schema/table.ts'
import { openSqliteReader, openSqliteWriter } from '../../store/sqlite/sqlite.ts'
import { copyReadable } from '../../store/sums/copy-readable.ts'
import { openWorld } from '../../world/world.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import {
  configOf,
  type ConfiguredStore,
  filledStores,
  openConfigured,
} from '../stores/configured-stores.ts'
import { removeStore, repairPrimary } from '../stores/repair-primary.ts'
import { repairSegments } from '../stores/repair-segments.ts'
import { isWhole, printVerdict, type RepairWork, verdictOf } from '../stores/store-verdict.ts'
import { withTaken } from '../stores/take-store.ts'

/**
 * Checks every store and mends what is damaged, then checks it again. Firn must not be running on
 * them. Exit code 1 when something could not be mended, which is said.
 */
export async function repairStores(flags: Flags): Promise<void> {
  const config = await configOf(flags)
  await using world = openWorld()
  const stores = await filledStores(config)
  const names = stores.map(({ name }) => name)
  const release = await claimDataFolder(config, names, world.clock)
  const owner = `repair-${Buffer.from(world.random.bytes(4)).toString('hex')}`
  const place = flags['copies']
  const copies = typeof place === 'string' ? { copies: resolve(place) } : {}
  let isAllWhole = true
  for (const store of stores) {
    const verdict = await verdictOf(store, () => openConfigured(config, store, world))
    printVerdict(store, verdict)
    if (isWhole(verdict)) continue
    const isMended =
      verdict.hasSums && (await mended({ config, store, verdict, world, owner, ...copies }))
    isAllWhole &&= isMended
  }
  release()
  if (!isAllWhole) process.exitCode = exitCodes.failed
}

async function mended(work: RepairWork): Promise<boolean> {
  const { store, config, world } = work
  const isDone = await repairOf[store.kind](work)
  if (!isDone) return false
  const after = await verdictOf(store, () => openConfigured(config, store, world))
  printVerdict(store, after)
  return isWhole(after)
}

/** Mends a store of a kind; false where that cannot be done, which was said. */
const repairOf: Readonly<Record<ConfiguredStore['kind'], (work: RepairWork) => Promise<boolean>>> =
  {
    evm: repairEvm,
    logs: repairLogs,
    primary: repairPrimary,
    icm: (work) => emptied(work, 'it is joined again from the stored chains when Firn runs'),
    own: async () => false,
  }

/** Files alone come back from copies; else all logs are read again. */
async function repairLogs(work: RepairWork): Promise<boolean> {
  const { verdict, copies } = work
  const areFiles = verdict.damaged.length + verdict.structure.length === 0
  if (areFiles && copies !== undefined && (await repairSegments(work))) return true
  return emptied(work, 'its logs are read again when Firn runs')
}

async function repairEvm(work: RepairWork): Promise<boolean> {
  const { config, store, world } = work
  let { verdict } = work
  if (verdict.segments.length > 0) {
    if (!(await repairSegments(work))) return false
    verdict = await verdictOf(store, () => openConfigured(config, store, world))
  }
  const isBroken =
    verdict.structure.length > 0 || verdict.damaged.some(({ found }) => found === undefined)
  if (isBroken && config.store === 'embedded') {
    try {
      const kept = await salvage(config.dataDir, store.name, store.tables)
      console.log(`${store.name}: what can be read is in a new file; the damaged one is ${kept}`)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      console.log(`${store.name}: its file is beyond repair (${error.message}):`)
      console.log(
        `  delete ${join(config.dataDir, `${store.name}.sqlite`)}*, and start; it is indexed again`,
      )
      return false
    }
    verdict = await verdictOf(store, () => openConfigured(config, store, world))
  }
  if (verdict.damaged.length > 0) await mendRows({ ...work, verdict })
  return true
}

function mendRows(work: RepairWork): Promise<void> {
  const { store, verdict, world } = work
  const log = (line: string): void => console.log(`${store.name}: ${line}`)
  return withTaken(work, ({ database, lease }) =>
    repairChain({ database, lease, clock: world.clock, log }, verdict.damaged),
  )
}

/** Makes a store anew, without rows: the next start fills it again. Returns true. */
async function emptied(work: RepairWork, says: string): Promise<boolean> {
  const { config, store } = work
  console.log(`${store.name}: emptied; ${says}`)
  await removeStore(work)
  await (await openStore(storeLocation(config), store.name, store.tables, 'write')).close()
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
  {
    await using from = openSqliteReader({ path, name: key, tables })
    await using to = openSqliteWriter({ path: made, name: key, tables })
    await copyReadable(from, to, tables)
  }
  const kept = `${path}-damaged`
  renameSync(path, kept)
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix)
  renameSync(made, path)
  rmSync(folder, { recursive: true, force: true })
  return kept
}
