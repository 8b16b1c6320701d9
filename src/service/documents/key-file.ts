/** API keys as they are kept: digests only. */

import type { StoredKey } from '../../api/server/admission/api-keys.ts'
import { Fault } from '../../core/fault.ts'
import { isObject, jsonOf } from '../../core/json.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Documents } from './documents.ts'

const name = 'api-keys.json'

/** The stored keys of a deployment; none before the first was made. Throws `bad-config`. */
export async function readKeys(documents: Documents): Promise<readonly StoredKey[]> {
  return keysIn(await documents.read(name), documents.place(name))
}

/** Changes the keys whole or not at all. Throws `bad-config`, and what `change` throws. */
export function changeKeys(
  documents: Documents,
  change: (keys: readonly StoredKey[]) => readonly StoredKey[],
): Promise<void> {
  return documents.change(name, (bytes) => {
    const keys = change(keysIn(bytes, documents.place(name)))
    return `${JSON.stringify(keys, undefined, 2)}\n`
  })
}

/**
 * The keys as they are now: the same list until they change. Throws `bad-config` when they are
 * damaged; a later damage leaves the keys in force.
 */
export function watchedKeys(documents: Documents, log: Log): () => readonly StoredKey[] {
  return documents.watch({
    name,
    parse: (bytes) => keysIn(bytes, documents.place(name)),
    damaged: (error) =>
      log.error('API keys not read again, those of before are in force', { error }),
  })
}

function keysIn(bytes: Uint8Array | undefined, place: string): readonly StoredKey[] {
  if (bytes === undefined) return []
  const keys = jsonOf(bytes)
  if (!Array.isArray(keys) || !keys.every(isStoredKey))
    throw new Fault(
      'bad-config',
      `the file of API keys is damaged; restore it, or remove it with all of its keys: ${place}`,
    )
  return keys
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
    (limit === undefined ||
      (isObject(limit) && Number(limit['perMinute']) > 0 && Number(limit['perDay']) > 0))
  )
}
