import { claimDataFolder } from '../../service/stores/data-folder.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import { awaitLease } from '../../store/lease.ts'
import { openStore } from '../../store/open.ts'
import { makeSums } from '../../store/sums/make-sums.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { configOf, configuredStores } from '../stores/configured-stores.ts'

/**
 * Makes the sums of every store again from its rows as they are. Firn must not be writing them.
 * Throws `not-found` when there is none.
 */
export async function rebuildChecksums(flags: Flags): Promise<void> {
  const config = await configOf(flags)
  const world = openWorld()
  const stores = await configuredStores(config)
  const owner = `rebuild-${Buffer.from(world.random.bytes(4)).toString('hex')}`
  const release = await claimDataFolder(
    config,
    stores.map(({ key }) => key),
    world.clock,
  )
  for (const { key, tables } of stores) {
    const database = await openStore(storeLocation(config), key, tables, 'write')
    try {
      await awaitLease(database, owner, { clock: world.clock, signal: AbortSignal.timeout(30_000) })
      const rows = new Map<string, number>()
      await makeSums(database, tables, (table, count) => rows.set(table, count))
      const all = [...rows.values()].reduce((sum, count) => sum + count, 0)
      console.log(`${key}: sums of ${all} rows made`)
    } finally {
      await database.close()
    }
  }
  release()
  await world.close()
}
