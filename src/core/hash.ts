/**
 * Hash functions. The only place that names their libraries.
 *
 * They come from the runtime: one-shot `node:crypto` takes 1 µs for a transaction, SHA-256 or
 * Keccak in JavaScript ten times that, and replay hashes every transaction twice.
 */

import { getHashes, hash } from 'node:crypto'

import { keccak_256 } from '@noble/hashes/sha3.js'

import { bytesOfKey, toHex } from './bytes.ts'

/** SHA-256, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return bytesOfKey(sha256Key(bytes))
}

/**
 * SHA-256 as a key for maps, one character per byte.
 *
 * By way of text, because a digest the runtime returns as a buffer has memory of its own outside
 * the heap: 3 times slower to make, and more to collect.
 */
export function sha256Key(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'binary')
}

/** RIPEMD-160 of SHA-256, 20 bytes: node ids and primary-network addresses. */
export function hash160(bytes: Uint8Array): Uint8Array {
  return hash('ripemd160', sha256(bytes), 'buffer')
}

/** Runtimes built with an OpenSSL before 3.2 lack it; the library is always there. */
const runtimeHasKeccak = getHashes().includes('keccak-256')

/** Keccak-256, 32 bytes: everything EVM. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return runtimeHasKeccak ? bytesOfKey(hash('keccak-256', bytes, 'binary')) : keccak_256(bytes)
}

/** Keccak-256 as 64 digits. */
export function keccak256Digits(bytes: Uint8Array): string {
  return runtimeHasKeccak ? hash('keccak-256', bytes, 'hex') : toHex(keccak_256(bytes))
}

/** Writes the Keccak-256 of `bytes` into `out` from `at` on, without an array for it. */
export function writeKeccak256(bytes: Uint8Array, out: Buffer, at: number): void {
  if (runtimeHasKeccak) out.write(hash('keccak-256', bytes, 'binary'), at, 32, 'latin1')
  else out.set(keccak_256(bytes), at)
}
