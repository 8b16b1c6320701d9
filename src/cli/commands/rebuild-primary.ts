import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { rebuildPrimary } from '../../indexing/primary/run/rebuild.ts'
import { openPrimaryReader } from '../../service/stores/open-primary.ts'
import { serverOf, storeLocation } from '../../service/stores/store-location.ts'
import { namespaceOf } from '../../store/engine/postgres.ts'
import type { StoreLocation } from '../../store/open.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { loadConfig } from '../load-config.ts'

/** A mainnet store takes hours. */
const limitMs = 7 * 86_400_000

/** Where the new store goes, and what the operator does with it then. */
type Place = {
  readonly to: StoreLocation
  readonly key: string
  readonly advice: readonly string[]
}

/**
 * Makes the store of a primary network again, beside the old one, from the blocks it keeps. The old
 * one stays as it is and may go on serving; the operator puts the new one in its place.
 */
export async function rebuildPrimaryNetwork(flags: Flags): Promise<void> {
  const { config } = loadConfig(flags)
  const key = `primary-${String(flags['primary'])}`
  const location = storeLocation(config)
  const store = serverOf(location, key)
  const from = await openPrimaryReader(location, key)
  const place = store === 'embedded' ? fileBeside(config.dataDir, key) : namespaceBeside(store, key)
  try {
    await rebuildPrimary({
      from,
      to: place.to,
      key: place.key,
      world: openWorld(),
      signal: AbortSignal.timeout(limitMs),
      // Below 0 are transactions of the X-Chain from before it had blocks.
      progress: (chain, height, head) =>
        console.log(`${chain}-Chain ${height < 0 ? 'before block 0' : `${height} of ${head}`}`),
    })
  } finally {
    await from.close()
  }
  for (const line of place.advice) console.log(line)
}

function fileBeside(dataDir: string, key: string): Place {
  const folder = join(dataDir, 'rebuilt')
  mkdirSync(folder, { recursive: true })
  return {
    to: { store: 'embedded', dataDir: folder },
    key,
    advice: [
      `rebuilt: ${join(folder, `${key}.sqlite`)}; stop Firn and put it in the place of`,
      join(dataDir, `${key}.sqlite`),
    ],
  }
}

function namespaceBeside(store: string, old: string): Place {
  const key = `rebuilt-${old}`
  return {
    to: { store, dataDir: '' },
    key,
    advice: [
      `rebuilt: ${namespaceOf(key)}; stop Firn and run`,
      `drop schema ${namespaceOf(old)} cascade;`,
      `alter schema ${namespaceOf(key)} rename to ${namespaceOf(old)};`,
    ],
  }
}
