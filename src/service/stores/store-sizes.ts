/** Bytes of the stores, for gauges. */

import type { Config } from '../../config/settings.ts'
import type { Clock } from '../../core/world.ts'
import type { ReadableStore } from '../status/readiness.ts'
import { storeSizes } from './data-folder.ts'

/** A server is asked this often at most: it looks at every file of a store. */
const askEveryMs = 60_000

/** Sizes by name of the store; of stores on a server those of a while ago, none at first. */
export function sizeReader(
  config: Pick<Config, 'store' | 'dataDir'>,
  stores: () => Promise<readonly ReadableStore[]>,
  clock: Clock,
): () => ReadonlyMap<string, number> {
  if (config.store === 'embedded') return () => storeSizes(config.dataDir)
  let sizes: ReadonlyMap<string, number> = new Map()
  let askedMs = Number.NEGATIVE_INFINITY
  const ask = async (): Promise<void> => {
    const told = new Map<string, number>()
    for (const { key, store } of await stores()) told.set(key, await store.sizeBytes())
    sizes = told
  }
  return () => {
    if (clock.monotonic() - askedMs >= askEveryMs) {
      askedMs = clock.monotonic()
      // A server that is away is told by health; the sizes of before stay.
      void ask().catch(() => undefined)
    }
    return sizes
  }
}
