import { Fault, faultIn } from '../../core/fault.ts'
import { isBucket } from '../../store/bucket/bucket-address.ts'
import type { Database } from '../../store/engine/database.ts'
import { stampOf } from '../../store/history/segment-bytes.ts'
import { logStoreOf } from '../../store/schema/logs.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { chainStore, configOf, filledStores, openConfigured } from '../stores/configured-stores.ts'
import { sizeText } from '../stores/size-text.ts'

/**
 * Fetches the history of a chain from the bucket onto this disk, and that of its logs: the directory and then the newest first, until all of
 * it is here or the cache is full. Throws `bad-parameter` for a store that is not there, `bad-config` without a bucket, `not-ready`.
 */
export async function warmCache(name: string, flags: Flags): Promise<void> {
  const config = await configOf(flags)
  if (!isBucket(config['index.store']))
    throw new Fault('bad-config', 'index.store names no bucket: history lies here already')
  const chain = await chainStore(config, name, 'chain')
  const logs = (await filledStores(config)).filter((each) => each.name === logStoreOf(name))
  await using world = openWorld()
  let left = config['index.cacheBytes']
  for (const store of [chain, ...logs]) {
    await using database = await openConfigured(config, store, world)
    left -= await fetchHistory(database, left)
  }
}

/** Fetches the history of a store while it is not larger than `mostBytes`; returns its bytes. */
async function fetchHistory(database: Database, mostBytes: number): Promise<number> {
  const { history, name } = database
  const { segments = [], directory = [] } = (await history?.manifest(database)) ?? {}
  const all = [...directory, ...segments.toSorted((a, b) => b.until - a.until)]
  let bytes = 0
  for (const [at, segment] of all.entries()) {
    const path = await history?.obtain(segment).catch((error: unknown) => {
      const { code, message, cause } = faultIn(error)
      // Callers of the API hear less.
      const why = cause instanceof Error ? `${message}: ${cause.message}` : message
      throw new Fault(code, why, { cause: error })
    })
    bytes += (path === undefined ? undefined : stampOf(path))?.size ?? 0
    const part = `${name}: ${at + 1} of ${all.length} files, ${sizeText(bytes)}`
    if (bytes > mostBytes) {
      console.log(`the cache is full: ${part} (index.cacheBytes)`)
      break
    }
    console.log(part)
  }
  return bytes
}
