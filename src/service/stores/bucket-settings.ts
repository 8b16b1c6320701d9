/** The bucket of history that the settings name, and its figures. */

import { join } from 'node:path'

import type { Config } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import { bucketAddress, isBucket } from '../../store/bucket/bucket-address.ts'
import {
  bucketCounts,
  type BucketSettings,
  noCounts,
  openBucket,
  type SharedCounts,
} from '../../store/bucket/open-bucket.ts'
import type { StoreLocation } from '../../store/open.ts'
import type { Gauges } from '../../telemetry/gauges.ts'

/** Settings that say where history is kept. */
export type HistorySettings = Pick<
  Config,
  'dataDir' | 'index.store' | 'index.cacheBytes' | 'index.fileBytes' | 'api.handlerTimeoutMs'
>

/** Files of a store that stay open in a thread, each with some 170 KiB of memory. */
const mostOpen = 256
/** Of the time that an answer may take. */
const waitingShare = 0.7

/** One a process, whichever of its threads asks. */
const counts = noCounts()

/** Where files of a bucket lie on this disk. */
export function cacheFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'history-cache')
}

/** The bucket of `index.store`; `undefined` where history lies in a folder. Throws `bad-config`. */
export function bucketSettings(config: HistorySettings): BucketSettings | undefined {
  const place = config['index.store']
  if (!isBucket(place)) return undefined
  const [maxBytes, fileBytes] = [config['index.cacheBytes'], config['index.fileBytes']]
  if (fileBytes > maxBytes)
    throw new Fault(
      'bad-config',
      `index.cacheBytes has no room for a segment of index.fileBytes, ${fileBytes}: ${maxBytes}`,
    )
  return {
    address: bucketAddress(place),
    folder: cacheFolder(config),
    maxBytes,
    fileBytes,
    mostOpen,
    waitMs: config['api.handlerTimeoutMs'] * waitingShare,
    counts,
  }
}

/** A location with its bucket, if it has one, opened for this thread. Throws `bad-config`. */
export function withBucket(
  location: StoreLocation,
  config: HistorySettings,
  world: World,
): StoreLocation {
  const bucket = bucketSettings(config)
  return bucket === undefined ? location : { ...location, bucket: openBucket(bucket, world) }
}

/** Has `gauges` show what `counts` say, whenever they are read. */
export function showBucket(
  gauges: Gauges,
  { counts: shared }: { readonly counts: SharedCounts },
): void {
  const shown = bucketCounts.map(() => 0n)
  gauges.onRead(() => {
    for (const [at, what] of bucketCounts.entries()) {
      const now = Atomics.load(shared, at)
      const more = Number(now - (shown[at] ?? 0n))
      shown[at] = now
      if (what === 'sent' || what === 'received')
        gauges.add('firn_bucket_bytes_total', more, { direction: what })
      else if (what === 'answered' || what === 'again' || what === 'failed')
        gauges.add('firn_bucket_requests_total', more, { outcome: what })
      else gauges.add('firn_history_cache_files_total', more, { outcome: what })
    }
  })
}
