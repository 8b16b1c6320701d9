import type { Config } from '../../config/settings.ts'
import { faultIn } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import { type Database, statement } from '../../store/engine/database.ts'
import { checkOpenWritable } from '../../store/engine/layout.ts'
import { isHeight } from '../../store/history/manifest.ts'
import { changesOf, concerned, type Migration } from '../../store/migrations/migration.ts'
import { layoutsAt, ownLayouts } from '../../store/migrations/migrations.ts'
import { openStore } from '../../store/open.ts'
import { deploymentStore, deploymentTables } from '../../store/schema/deployment.ts'
import { openWorld } from '../../world/world.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import {
  configOf,
  type ConfiguredStore,
  madeStores,
  nothingIndexed,
  openConfigured,
} from '../stores/configured-stores.ts'

/**
 * Prints for each store what the next start would change in it, and changes nothing. Exit code 5 where this version
 * cannot open one. Throws `not-found` without a store.
 */
export async function checkUpgrade(flags: Flags): Promise<void> {
  const config = await configOf(flags)
  const { stores } = await madeStores(config)
  if (stores.length === 0) throw nothingIndexed(config)
  const deployment: ConfiguredStore = {
    name: deploymentStore,
    kind: 'own',
    tables: deploymentTables,
  }
  await using world = openWorld()
  for (const store of config.store === 'embedded' ? stores : [...stores, deployment])
    for (const line of await stepsOf(config, store, world)) console.log(line)
}

/** Of which an index is made: SQLite took 2.2 s for a million of 150 bytes. */
const rowsASecond = 450_000

async function stepsOf(config: Config, store: ConfiguredStore, world: World): Promise<string[]> {
  try {
    await using database = await openConfigured(config, store, world)
    await checkOpenWritable(database, { name: store.name, place: 'it' })
    return [`store ${store.name}: nothing to do`]
  } catch (error) {
    const { code, message, detail } = faultIn(error)
    const { layout } = detail
    if (code === 'store-version') process.exitCode = exitCodes.store
    if (!isHeight(layout)) return [message]
    return stepsFrom(layout, config, store)
  }
}

async function stepsFrom(
  layout: number,
  config: Config,
  store: ConfiguredStore,
): Promise<string[]> {
  const place = { ...storeLocation(config), layouts: layoutsAt(layout) }
  await using database = await openStore(place, store.name, store.tables, 'read')
  const steps: string[] = []
  for (const migration of ownLayouts.migrations)
    if (migration.layout > layout) steps.push(await stepOf(migration, store, database))
  return steps.map((step) => `store ${store.name}: ${step}`)
}

async function stepOf(
  migration: Migration,
  store: ConfiguredStore,
  database: Database,
): Promise<string> {
  const { tables, migrations } = ownLayouts
  const own = new Set(store.tables.map(({ name }) => name))
  const read = new Set(
    changesOf(migration, tables, migrations).flatMap((change) =>
      own.has(concerned(change)) && (change.does === 'removes' || change.does === 'indexes')
        ? [change.table.name]
        : [],
    ),
  )
  let rows = 0
  for (const name of read) {
    const [count] =
      (await database.get(statement<string>(`select count(*) from ${name}`, { over: 'tables' }))) ??
      []
    rows += Number(count)
  }
  const seconds = Math.ceil(rows / rowsASecond)
  const cost =
    read.size === 0
      ? 'a moment'
      : `${rows} rows of ${[...read].join(', ')} are read: about ${seconds} s`
  return `to layout ${migration.layout}: ${migration.gives} (${cost})`
}
