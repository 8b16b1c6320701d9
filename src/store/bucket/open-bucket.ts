/** The bucket of a process as each of its threads opens it, and what all of them count. */

import { assert } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import type { BucketHistory, CacheOutcome } from '../history/segment-cache.ts'
import type { BucketAddress } from './bucket-address.ts'
import { Bucket, type BucketOptions, type RequestOutcome } from './bucket.ts'
import { CredentialSource } from './credentials.ts'

/** Names of the counts of a bucket. */
export const bucketCounts = [
  'sent',
  'received',
  'answered',
  'again',
  'failed',
  'found',
  'fetched',
  'missed',
  'removed',
] as const satisfies readonly ('sent' | 'received' | RequestOutcome | CacheOutcome)[]

/** The counts, in the order of {@link bucketCounts}, in memory that threads share. */
export type SharedCounts = BigInt64Array<SharedArrayBuffer>

/** A bucket with history, as settings say it. A value that crosses threads. */
export type BucketSettings = {
  readonly address: BucketAddress
  /** Its files on this disk: their folder, and how many bytes of them stay. */
  readonly folder: string
  readonly maxBytes: number
  /** Most bytes of a merged file. */
  readonly fileBytes: number
  /** Files of a store that stay open in a thread. */
  readonly mostOpen: number
  /** Longest a question waits for a file, milliseconds. */
  readonly waitMs: number
  readonly counts: SharedCounts
}

/** Opens a bucket by its address, for files that no cache has. Nothing is requested yet. */
export function plainBucket(
  address: BucketAddress,
  world: World,
  {
    count = () => {},
    signal,
  }: { readonly count?: BucketOptions['count']; readonly signal?: AbortSignal | undefined } = {},
): Bucket {
  const { download, env } = world
  assert(
    download !== undefined && env !== undefined,
    'a process with settings has all of its world',
  )
  const credentials = new CredentialSource({ ...world, env })
  return new Bucket(address, { ...world, download, credentials, count, signal })
}

/** Counts of a bucket that nobody used yet. */
export function noCounts(): SharedCounts {
  return new BigInt64Array(new SharedArrayBuffer(bucketCounts.length * 8))
}

/** Opens a bucket for a thread, until `signal` is aborted; nothing is requested yet. */
export function openBucket(
  { address, counts, ...kept }: BucketSettings,
  world: World,
  signal?: AbortSignal,
): BucketHistory {
  const count = (name: (typeof bucketCounts)[number], by = 1): void => {
    Atomics.add(counts, bucketCounts.indexOf(name), BigInt(by))
  }
  const bucket = plainBucket(address, world, { count, signal })
  return { ...kept, bucket, clock: world.clock, count }
}
