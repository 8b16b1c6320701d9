import { join, resolve } from 'node:path'

import { Fault } from '../../core/fault.ts'
import { repairChain } from '../../indexing/evm/repair/repair-chain.ts'
import { claimDataFolder } from '../../service/stores/data-folder.ts'
import { isWebAddress } from '../../service/stores/fetch-segment.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import { openStore } from '../../store/open.ts'
import { openWorld } from '../../world/world.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import {
  configOf,
  type ConfiguredStore,
  configuredStores,
  openConfigured,
} from '../stores/configured-stores.ts'
import { repairLogs, repairMessages } from '../stores/repair-emptied.ts'
import { repairPrimary } from '../stores/repair-primary.ts'
import { repairSegments } from '../stores/repair-segments.ts'
import type { RepairWork } from '../stores/repair-work.ts'
import { salvage } from '../stores/salvage.ts'
import { isWhole, printVerdict, verdictOf } from '../stores/store-verdict.ts'
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
