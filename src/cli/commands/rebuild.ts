import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { Fault } from '../../core/fault.ts'
import { rebuildRollup } from '../../rollup/rebuild.ts'
import { chainSpecs } from '../../service/chain-specs.ts'
import { claimDataFolder } from '../../service/stores/data-folder.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import { statement } from '../../store/engine/database.ts'
import { awaitLease } from '../../store/lease.ts'
import { openStore } from '../../store/open.ts'
import { chainTables } from '../../store/schema/stores.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { configOf } from '../stores/configured-stores.ts'

const firstHeight = statement('select height from block order by height limit 1', {
  over: 'oldest',
})

/**
 * Counts the metrics of every chain that is indexed again from its store. Firn must not be writing
 * it. Throws `not-found` when there is none.
 */
export async function rebuildMetrics(flags: Flags): Promise<void> {
  const config = await configOf(flags)
  const { store, dataDir } = config
  const chains = chainSpecs(config).filter(
    ({ spec }) => store !== 'embedded' || existsSync(join(dataDir, `${spec.key}.sqlite`)),
  )
  if (chains.length === 0) throw new Fault('not-found', `no chain is indexed here: ${dataDir}`)
  const world = openWorld()
  const owner = `rebuild-${Buffer.from(world.random.bytes(4)).toString('hex')}`
  const names = chains.map(({ spec }) => spec.key)
  const release = await claimDataFolder(config, names, world.clock)
  for (const { spec } of chains) {
    const database = await openStore(storeLocation(config), spec.key, chainTables, 'write')
    try {
      await awaitLease(database, owner, { clock: world.clock, signal: AbortSignal.timeout(30_000) })
      const heights = await checkpointHeights(database)
      const [first] = (await database.get(firstHeight)) ?? []
      const began = world.clock.monotonic()
      await rebuildRollup(database, {
        first: typeof first === 'number' ? first : 0,
        blocks: heights.get('blocks') ?? -1,
        traces: heights.get('traces') ?? -1,
      })
      const seconds = ((world.clock.monotonic() - began) / 1_000).toFixed(1)
      console.log(
        `${spec.key}: counted again to height ${heights.get('blocks') ?? -1} in ${seconds} s`,
      )
    } finally {
      await database.close()
    }
  }
  release()
  await world.close()
}
