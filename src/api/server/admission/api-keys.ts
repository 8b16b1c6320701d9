/**
 * API keys: `avk_<id, 8>_<secret, 32><checksum, 4>`, letters and digits.
 *
 * Kept as SHA-256 of the whole key; a secret of 190 bits needs no slow hash. A look-up compares
 * in constant time and does the same work for an id that does not exist.
 */

import { createHash, timingSafeEqual } from 'node:crypto'

import type { Random } from '../../../core/world.ts'
import type { RateLimit } from './rate-limit.ts'

/** A key as stored. `revokedAt` and times are Unix seconds. */
export type StoredKey = {
  readonly id: string
  readonly name: string
  readonly digest: string
  readonly createdAt: number
  readonly revokedAt?: number
  /** Name of its tier in the setting `api.tiers`. */
  readonly tier?: string
  /** A limit of its own, in compute units; goes before that of the tier. */
  readonly limit?: RateLimit
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const form = /^avk_([A-Za-z0-9]{8})_([A-Za-z0-9]{32})([A-Za-z0-9]{4})$/

/** A new key and its stored form. The key is shown once. */
export function createKey(
  random: Random,
  name: string,
  nowSeconds: number,
): { key: string; stored: StoredKey } {
  const id = word(random, 8)
  const secret = word(random, 32)
  const key = `avk_${id}_${secret}${checksum(id + secret)}`
  return { key, stored: { id, name, digest: digestOf(key).toString('hex'), createdAt: nowSeconds } }
}

/** The stored key that `key` is, or `undefined` when it is malformed, unknown or revoked. */
export function findKey(keys: readonly StoredKey[], key: string): StoredKey | undefined {
  const [, id = '', secret = '', sum] = form.exec(key) ?? []
  const stored = keys.find((candidate) => candidate.id === id)
  const expected = Buffer.from(stored?.digest ?? '00'.repeat(32), 'hex')
  const equal = timingSafeEqual(digestOf(key), expected)
  const live = stored !== undefined && stored.revokedAt === undefined
  return equal && live && sum === checksum(id + secret) ? stored : undefined
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Catches a mistyped key before it is looked up; no secret. */
function checksum(text: string): string {
  const sum = createHash('sha256').update(text).digest()
  return Array.from(sum.subarray(0, 4), (byte) => alphabet[byte % alphabet.length] ?? '').join('')
}

function word(random: Random, length: number): string {
  let text = ''
  // 248 is the largest multiple of 62 in a byte: what lies above would favour the first letters.
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62] ?? ''
    }
  }
  return text
}
