import { resolve } from 'node:path'

import type { Config } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import { claimDataFolder, isWritten, makeDataFolder } from '../../service/stores/data-folder.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import {
  type CopiedStore,
  copyStore,
  presentTables,
  sourceState,
  type StoreCopy,
} from '../../store/migrate/copy-store.ts'
import { tablesIn } from '../../store/migrate/present-tables.ts'
import type { Target } from '../../store/migrate/target.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { deploymentStore } from '../../store/schema/deployment.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { loadConfig } from '../load-config.ts'
import { configOf } from '../stores/configured-stores.ts'
import {
  checkFree,
  copyDocuments,
  documentsAt,
  type HeldDocuments,
} from '../stores/migrated-documents.ts'
import { madeStores } from '../stores/migrated-stores.ts'
import { isSamePlace, openTargets, type Targets } from '../stores/migrated-targets.ts'

/** Between two lines of progress. */
const everyMs = 10_000

/**
 * Copies every store into another place, SQLite, PostgreSQL or the servers that a configuration names,
 * and compares each copy with its store. What lies there already stays. The source is only read. The
 * copies are found by a Firn once all of them are whole.
 */
export async function migrate(flags: Flags): Promise<void> {
  const config = await configOf(flags)
  const source: StoreLocation = storeLocation(config)
  const location = locationOf(flags, config)
  const { stores: made, others } = await madeStores(config, 'migrate')
  const moves = (name: string): boolean => !isSamePlace(name, source, location)
  const stores = made.filter(({ name }) => moves(name))
  if (stores.length === 0)
    throw new Fault('bad-parameter', 'the stores are there already, where --to leads')
  const release = await stopped(config, made)
  try {
    const documents = moves(deploymentStore)
      ? await documentsAt(source)
      : new Map<string, Uint8Array>()
    checkFree(documents, location)
    const names = stores.map(({ name }) => name)
    const targets = await openTargets(
      location,
      moves(deploymentStore) ? [...names, deploymentStore] : names,
    )
    if (flags['abandon'] === true) {
      await targets.abandon()
      console.log('The copies are removed; the stores they came from are as they were.')
      return
    }
    await copyAll({ source, targets, stores, documents })
    for (const { name } of made)
      if (!moves(name)) console.error(`stays where it is, as it is there already: ${name}`)
    for (const name of others) console.error(`left where it is, no setting names it: ${name}`)
  } finally {
    release()
  }
  console.log(`All is copied. ${nextStep(flags)}`)
}

function nextStep({ to }: Flags): string {
  if (to === 'embedded') return 'Set `store: embedded` in the configuration, and start Firn.'
  if (isAddress(to))
    return 'Set `store: postgres://…` in the configuration, without `stores`, and start Firn.'
  return `Start Firn with the configuration that says where: ${String(to)}`
}

type Work = {
  readonly source: StoreLocation
  readonly targets: Targets
  readonly stores: readonly CopiedStore[]
  readonly documents: HeldDocuments
}

async function copyAll({ source, targets, stores, documents }: Work): Promise<void> {
  const states = new Map<string, string | undefined>()
  if (targets.isMoving) return targets.finish()
  try {
    for (const store of stores) {
      const { copy, state } = await copyOne(store, source, targets.of(store.name))
      states.set(store.name, state)
      console.log(`${store.name}: ${copy.rows} rows copied, both are equal`)
    }
    await checkStill(stores, source, states)
    if (documents.size > 0) await copyDocuments(documents, targets.of(deploymentStore))
  } catch (error) {
    await targets.close()
    throw error
  }
  await targets.finish()
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

/** Throws `lease-lost` while a Firn writes the source. Returns the function that allows writing again. */
async function stopped(config: Config, stores: readonly CopiedStore[]): Promise<() => void> {
  const { clock } = openWorld()
  const led = stores.filter(({ tables }) => tables.some(({ name }) => name === 'lease'))
  const names = led.map(({ name }) => name)
  if (config.store === 'embedded') return claimDataFolder({ ...config, role: 'all' }, names, clock)
  if (names.length > 0 && (await isWritten(config, names, clock)))
    throw new Fault('lease-lost', 'a Firn writes these stores: stop all of its processes first')
  return () => undefined
}

/** Where `--to` leads. Throws `bad-parameter`, and `bad-config` for a configuration that is wrong. */
function locationOf(flags: Flags, config: Config): StoreLocation {
  const to = String(flags['to'])
  const dataDir = resolve(config.dataDir)
  if (/\.(?:ya?ml|json)$/.test(to)) {
    const other = storeLocation(loadConfig({ config: to }).config)
    const there = { ...other, dataDir: resolve(other.dataDir) }
    if (there.store === 'embedded') makeDataFolder(there.dataDir)
    return there
  }
  if (to !== 'embedded' && !isAddress(to))
    throw new Fault(
      'bad-parameter',
      '--to must be embedded, or postgres://user@host:5432/db, or a configuration file',
    )
  if (to === 'embedded' && config.store === 'embedded')
    throw new Fault('bad-parameter', 'the stores are there already: --to is the setting `store`')
  if (to === 'embedded') makeDataFolder(dataDir)
  return { store: to, dataDir }
}

function isAddress(to: unknown): boolean {
  return typeof to === 'string' && /^postgres(ql)?:\/\//.test(to)
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
