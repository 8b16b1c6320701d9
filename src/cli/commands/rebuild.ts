import { resolve } from 'node:path'

import { chainTables } from '../../indexing/evm/chain-host.ts'
import { rebuildRollup } from '../../rollup/rebuild.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import { statement } from '../../store/engine/database.ts'
import { openStore } from '../../store/engine/open.ts'
import { awaitLease } from '../../store/lease.ts'
import { chainSpecs } from '../chain-specs.ts'
import { claimDataFolder, makeDataFolder } from '../data-folder.ts'
import { withDemoNetwork } from '../demo-network.ts'
import type { Flags } from '../flags.ts'
import { loadConfig } from '../load-config.ts'
import { openWorld } from '../world.ts'

const firstHeight = statement('select min(height) from block')

/** Counts every configured chain's metrics again from its store. Firn must not be writing it. */
export async function rebuildMetrics(flags: Flags): Promise<void> {
  const loaded = loadConfig(flags)
  const located = { ...loaded.config, dataDir: resolve(loaded.config.dataDir) }
  const config = loaded.isDemo ? withDemoNetwork(located) : located
  makeDataFolder(config.dataDir)
  const world = openWorld()
  const owner = `rebuild-${Buffer.from(world.random.bytes(4)).toString('hex')}`
  const chains = chainSpecs(config)
  const names = chains.map(({ spec }) => spec.key)
  const release = await claimDataFolder(config, names, world.clock)
  for (const { spec } of chains) {
    const location = { store: config.store, dataDir: config.dataDir }
    const database = await openStore(location, spec.key, chainTables, 'write')
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
