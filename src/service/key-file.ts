/** The file of API keys: digests only, readable by the owner. */

import { join } from 'node:path'

import type { StoredKey } from '../api/api-keys.ts'
import { isObject } from '../codec/evm/raw.ts'
import { Fault } from '../core/fault.ts'
import type { Log } from '../telemetry/log.ts'
import { bytesOf, watchedFile } from './watched-file.ts'
import { writeWhole } from './whole-file.ts'

const fileName = 'api-keys.json'

/** The stored keys of a data folder; none when the file is missing. Throws `bad-config`. */
export function readKeys(dataDir: string): readonly StoredKey[] {
  const path = join(dataDir, fileName)
  return keysIn(bytesOf(path), path)
}

/** Writes the keys whole or not at all. */
export function writeKeys(dataDir: string, keys: readonly StoredKey[]): void {
  writeWhole(join(dataDir, fileName), `${JSON.stringify(keys, undefined, 2)}\n`)
}

/**
 * The keys as they are now: the file is read again only after it changed, so that a revocation
 * counts at once. Throws `bad-config` when it is damaged; a later damage leaves the keys in force.
 */
export function watchedKeys(dataDir: string, log: Log): () => readonly StoredKey[] {
  const path = join(dataDir, fileName)
  return watchedFile({
    path,
    parse: (bytes) => keysIn(bytes, path),
    damaged: (error) =>
      log.error('API keys not read again, those of before are in force', { error }),
  })
}

function keysIn(bytes: Uint8Array | undefined, path: string): readonly StoredKey[] {
  if (bytes === undefined) return []
  const keys = parsed(bytes)
  if (!Array.isArray(keys) || !keys.every(isStoredKey))
    throw new Fault(
      'bad-config',
      `the file of API keys is damaged; restore it, or remove it with all of its keys: ${path}`,
    )
  return keys
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // Damaged, or cut off: the caller says so.
    return undefined
  }
}

function isStoredKey(value: unknown): value is StoredKey {
  if (!isObject(value)) return false
  const { id, name, digest, createdAt, revokedAt, tier, limit } = value
  return (
    typeof id === 'string' &&
    typeof name === 'string' &&
    typeof digest === 'string' &&
    /^[0-9a-f]{64}$/.test(digest) &&
    Number.isInteger(createdAt) &&
    (revokedAt === undefined || Number.isInteger(revokedAt)) &&
    (tier === undefined || typeof tier === 'string') &&
    (limit === undefined || isLimit(limit))
  )
}

function isLimit(value: unknown): boolean {
  return isObject(value) && Number(value['perMinute']) > 0 && Number(value['perDay']) > 0
}
