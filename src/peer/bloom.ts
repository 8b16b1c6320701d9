/**
 * The filter by which peers let each other know whom they know already.
 *
 * Source: avalanchego utils/bloom/, network/ip_tracker.go.
 */

import { concatBytes } from '../core/bytes.ts'
import { sha256 } from '../core/hash.ts'
import { u8At } from '../core/item-at.ts'
import type { Random } from '../core/world.ts'

/** A filter under construction. */
export type Bloom = {
  readonly seeds: readonly bigint[]
  readonly entries: Uint8Array
  readonly salt: Uint8Array
}

const maxHashes = 16
const falsePositive = 0.001
const mask = (1n << 64n) - 1n

/** Bytes and hashes for `count` items at a false positive rate of one in a thousand. */
export function bloomSize(count: number): { readonly bytes: number; readonly hashes: number } {
  const bits = (-count * Math.log(falsePositive)) / (Math.LN2 * Math.LN2)
  const bytes = Math.max(1, Math.floor((bits + 7) / 8))
  const hashes = Math.ceil((8 * bytes * Math.LN2) / count)
  return { bytes, hashes: Math.min(maxHashes, Math.max(1, hashes)) }
}

/** An empty filter for `count` items, with fresh seeds and salt. */
export function createBloom(random: Random, count: number): Bloom {
  const { bytes, hashes } = bloomSize(Math.max(count, 128))
  const seeds = Array.from({ length: hashes }, () => readU64(random.bytes(8)))
  return { seeds, entries: new Uint8Array(bytes), salt: random.bytes(32) }
}

/** Puts the item called `id` into the filter. */
export function addToBloom(bloom: Bloom, id: Uint8Array): void {
  const bits = BigInt(bloom.entries.length * 8)
  let hash = bloomHash(id, bloom.salt)
  for (const seed of bloom.seeds) {
    hash = (((hash << 17n) & mask) | (hash >> 47n)) ^ seed
    const index = Number(hash % bits)
    bloom.entries[index >> 3] = u8At(bloom.entries, index >> 3) | (1 << (index & 7))
  }
}

/** The filter as messages carry it: number of hashes, seeds, entries. */
export function bloomBytes(bloom: Bloom): Uint8Array {
  const head = new Uint8Array(1 + 8 * bloom.seeds.length)
  const view = new DataView(head.buffer)
  view.setUint8(0, bloom.seeds.length)
  for (const [index, seed] of bloom.seeds.entries()) view.setBigUint64(1 + 8 * index, seed)
  return concatBytes(head, bloom.entries)
}

/** The hash of an item, which the filter's seeds then turn. */
export function bloomHash(id: Uint8Array, salt: Uint8Array): bigint {
  return readU64(sha256(concatBytes(id, salt)))
}

function readU64(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0)
}
