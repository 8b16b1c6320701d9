import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { Fault } from '../../core/fault.ts'
import { primaryStoreTables } from '../../indexing/primary/primary-host.ts'
import { rebuildPrimary } from '../../indexing/primary/rebuild.ts'
import { openStore } from '../../store/engine/open.ts'
import type { Flags } from '../flags.ts'
import { loadConfig } from '../load-config.ts'
import { openWorld } from '../world.ts'

/** A mainnet store takes hours. */
const limitMs = 7 * 86_400_000

/**
 * Makes the embedded store of a primary network again, beside the old one, from the blocks it
 * keeps. The old one stays as it is and may go on serving; the operator puts the new one in its
 * place.
 */
export async function rebuildPrimaryNetwork(flags: Flags): Promise<void> {
  const { config } = loadConfig(flags)
  if (config.store !== 'embedded')
    throw new Fault('bad-config', 'only embedded stores are rebuilt beside the old one')
  const key = `primary-${String(flags['primary'])}`
  const from = await openStore(
    { store: config.store, dataDir: config.dataDir },
    key,
    primaryStoreTables,
    'read',
  )
  const folder = join(config.dataDir, 'rebuilt')
  mkdirSync(folder, { recursive: true })
  try {
    await rebuildPrimary({
      from,
      to: { store: 'embedded', dataDir: folder },
      key,
      world: openWorld(),
      signal: AbortSignal.timeout(limitMs),
      progress: (chain, height, head) => console.log(`${chain}-Chain ${height} of ${head}`),
    })
  } finally {
    await from.close()
  }
  console.log(`rebuilt: ${join(folder, `${key}.sqlite`)}; stop Firn and put it in the place of`)
  console.log(join(config.dataDir, `${key}.sqlite`))
}
