import type { Config } from '../../config/settings.ts'
import { faultIn } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import { isHeight } from '../../store/history/manifest.ts'
import { changesOf, concerned } from '../../store/migrations/migration.ts'
import { ownLayout, ownLayouts } from '../../store/migrations/migrations.ts'
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
  const world = openWorld()
  try {
    for (const store of config.store === 'embedded' ? stores : [...stores, deployment])
      for (const line of await stepsOf(config, store, world)) console.log(line)
  } finally {
    await world.close()
  }
}

async function stepsOf(config: Config, store: ConfiguredStore, world: World): Promise<string[]> {
  try {
    await (await openConfigured(config, store, world)).close()
    return [`store ${store.name}: layout ${ownLayout}, nothing to do`]
  } catch (error) {
    const { code, message, detail } = faultIn(error)
    const { layout } = detail
    if (code === 'store-version') process.exitCode = exitCodes.store
    if (!isHeight(layout)) return [message]
    return stepsFrom(layout, store).map((step) => `store ${store.name}: ${step}`)
  }
}

/** Steps that bring a store from `layout` to that of this version, a line each. */
function stepsFrom(layout: number, store: ConfiguredStore): string[] {
  const { tables, migrations } = ownLayouts
  const own = new Set(store.tables.map(({ name }) => name))
  return migrations
    .filter((each) => each.layout > layout)
    .map((migration) => {
      const changes = changesOf(migration, tables, migrations).filter((change) =>
        own.has(concerned(change)),
      )
      const step = `to layout ${migration.layout}`
      if (changes.length === 0) return `${step}: nothing but its number changes`
      const read = changes.flatMap(({ does, table }) =>
        does === 'removes' || does === 'indexes' ? [table.name] : [],
      )
      const cost = read.length === 0 ? 'a moment' : `every row of ${read.join(', ')} is read`
      return `${step}: ${migration.gives} (${cost})`
    })
}
