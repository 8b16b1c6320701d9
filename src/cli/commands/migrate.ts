import { resolve } from 'node:path'

import type { Config } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import { claimDataFolder, isWritten, makeDataFolder } from '../../service/data-folder.ts'
import { storeLocation } from '../../service/store-location.ts'
import { openStore, type StoreLocation } from '../../store/engine/open.ts'
import {
  type CopiedStore,
  copyStore,
  presentTables,
  sourceState,
  type StoreCopy,
} from '../../store/migrate/copy-store.ts'
import { tablesIn } from '../../store/migrate/present-tables.ts'
import { openTarget, type Target } from '../../store/migrate/target.ts'
import { deploymentStore } from '../../store/schema/deployment.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { configOf } from '../stores/configured-stores.ts'
import {
  checkFree,
  copyDocuments,
  documentsAt,
  type HeldDocuments,
} from '../stores/migrated-documents.ts'
import { madeStores } from '../stores/migrated-stores.ts'

/** Between two lines of progress. */
const everyMs = 10_000

/**
 * Copies every store into another place, SQLite or PostgreSQL, and compares each copy with its
 * store. The source is only read. The copies are found by a Firn once all of them are whole.
 */
export async function migrate(flags: Flags): Promise<void> {
  const config = await configOf(flags)
  const source: StoreLocation = storeLocation(config)
  const location = locationOf(flags, config)
  const { stores, others } = await madeStores(config)
  const release = await stopped(config, stores)
  try {
    const documents = await documentsAt(source)
    checkFree(documents, location)
    const names = [...stores.map(({ name }) => name), deploymentStore]
    const target = await openTarget(location, names)
    if (flags['abandon'] === true) {
      await target.abandon()
      console.log('The copies are removed; the stores they came from are as they were.')
      return
    }
    await copyAll({ source, target, stores, documents })
    for (const name of others) console.error(`left where it is, no setting names it: ${name}`)
  } finally {
    release()
  }
  const setting = location.store === 'embedded' ? 'store: embedded' : 'store: postgres://…'
  console.log(`All is copied. Set \`${setting}\` in the configuration, and start Firn.`)
}

type Work = {
  readonly source: StoreLocation
  readonly target: Target
  readonly stores: readonly CopiedStore[]
  readonly documents: HeldDocuments
}

async function copyAll({ source, target, stores, documents }: Work): Promise<void> {
  const states = new Map<string, string | undefined>()
  if (target.isMoving) return target.finish()
  try {
    for (const store of stores) {
      const { copy, state } = await copyOne(store, source, target)
      states.set(store.name, state)
      console.log(`${store.name}: ${copy.rows} rows copied, both are equal`)
    }
    await checkStill(stores, source, states)
    await copyDocuments(documents, target)
  } catch (error) {
    await target.close()
    throw error
  }
  await target.finish()
}

async function copyOne(
  store: CopiedStore,
  source: StoreLocation,
  target: Target,
): Promise<{ readonly copy: StoreCopy; readonly state: string | undefined }> {
  const from = await openStore(source, store.name, store.tables, 'read')
  try {
    const tables = await presentTables(from, store, await tablesIn(from))
    const state = await sourceState(from, store)
    const to = await target.openCopy(store, state)
    try {
      const copy = await copyStore(store.name, { from, to, tables }, progressOf(store.name))
      await target.whole(store.name)
      return { copy, state }
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

/** Throws `lease-lost` when a store was written while it was copied. */
async function checkStill(
  stores: readonly CopiedStore[],
  source: StoreLocation,
  states: ReadonlyMap<string, string | undefined>,
): Promise<void> {
  for (const store of stores) {
    const from = await openStore(source, store.name, store.tables, 'read')
    const state = await sourceState(from, store)
    await from.close()
    if (state !== states.get(store.name))
      throw new Fault(
        'lease-lost',
        `a Firn wrote this store while it was copied; stop it, and migrate again: ${store.name}`,
      )
  }
}

/** Throws `lease-lost` while a Firn writes the source; gives what lets one write again. */
async function stopped(config: Config, stores: readonly CopiedStore[]): Promise<() => void> {
  const { clock } = openWorld()
  const led = stores.filter(({ tables }) => tables.some(({ name }) => name === 'lease'))
  const names = led.map(({ name }) => name)
  if (config.store === 'embedded') return claimDataFolder({ ...config, role: 'all' }, names, clock)
  if (names.length > 0 && (await isWritten(config, names, clock)))
    throw new Fault('lease-lost', 'a Firn writes these stores: stop all of its processes first')
  return () => undefined
}

/** Where `--to` leads. Throws `bad-parameter`. */
function locationOf(flags: Flags, config: Config): StoreLocation {
  const to = String(flags['to'])
  if (to !== 'embedded' && !/^postgres(ql)?:\/\//.test(to))
    throw new Fault('bad-parameter', '--to must be embedded, or postgres://user@host:5432/db')
  if (to === config.store)
    throw new Fault('bad-parameter', 'the stores are there already: --to is the setting `store`')
  const dataDir = resolve(config.dataDir)
  if (to === 'embedded') makeDataFolder(dataDir)
  return { store: to, dataDir }
}

function progressOf(store: string): (work: 'copied' | 'compared', rows: number) => void {
  const counts = { copied: 0, compared: 0 }
  let saidAt = performance.now()
  return (work, rows) => {
    counts[work] += rows
    if (performance.now() - saidAt < everyMs) return
    saidAt = performance.now()
    process.stderr.write(`${store}: ${counts[work]} rows ${work}\n`)
  }
}
