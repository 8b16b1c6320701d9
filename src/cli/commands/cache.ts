import { Fault } from '../../core/fault.ts'
import { isBucket } from '../../store/bucket/bucket-address.ts'
import { stampOf } from '../../store/history/segment-bytes.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { chainStore, configOf, openConfigured } from '../stores/configured-stores.ts'
import { sizeText } from '../stores/size-text.ts'

/**
 * Fetches the history of a chain from the bucket onto this disk, its directory and then the newest first, until all of it is here or the cache
 * is full. Throws `bad-parameter` for a store that is not there, `bad-config` without a bucket, `not-ready`.
 */
export async function warmCache(name: string, flags: Flags): Promise<void> {
  const config = await configOf(flags)
  if (!isBucket(config['index.store']))
    throw new Fault('bad-config', 'index.store names no bucket: history lies here already')
  const store = await chainStore(config, name, 'chain')
  const world = openWorld()
  const database = await openConfigured(config, store, world)
  try {
    const { history } = database
    const { segments = [], directory = [] } = (await history?.manifest(database)) ?? {}
    const all = [...directory, ...segments.toSorted((a, b) => b.until - a.until)]
    let bytes = 0
    for (const [at, segment] of all.entries()) {
      const path = await history?.obtain(segment)
      bytes += (path === undefined ? undefined : stampOf(path))?.size ?? 0
      const part = `${at + 1} of ${all.length} files, ${sizeText(bytes)}`
      if (bytes > config['index.cacheBytes']) {
        console.log(`the cache is full: ${part} (index.cacheBytes)`)
        return
      }
      console.log(part)
    }
  } finally {
    await database.close()
    await world.close()
  }
}
