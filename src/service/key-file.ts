/** The file of API keys: digests only, readable by the owner. */

import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { StoredKey } from '../api/api-keys.ts'
import { Fault } from '../core/fault.ts'

const fileName = 'api-keys.json'

/** The stored keys of a data folder; none when the file is missing. Throws `bad-config`. */
export function readKeys(dataDir: string): StoredKey[] {
  const text = readText(join(dataDir, fileName))
  if (text === undefined) return []
  const parsed: unknown = JSON.parse(text)
  if (!Array.isArray(parsed) || !parsed.every(isStoredKey)) {
    throw new Fault('bad-config', `not a file of API keys: ${join(dataDir, fileName)}`)
  }
  return parsed
}

/** Writes the keys whole or not at all. */
export function writeKeys(dataDir: string, keys: readonly StoredKey[]): void {
  mkdirSync(dataDir, { recursive: true })
  const path = join(dataDir, fileName)
  writeFileSync(`${path}.new`, `${JSON.stringify(keys, undefined, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** A reader that looks at the file again only after it changed, so that a revocation counts at once. */
export function watchedKeys(dataDir: string): () => readonly StoredKey[] {
  let seen = -1
  let keys: readonly StoredKey[] = []
  return () => {
    const changed = statSync(join(dataDir, fileName), { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (changed !== seen) {
      keys = readKeys(dataDir)
      seen = changed
    }
    return keys
  }
}

function isStoredKey(value: unknown): value is StoredKey {
  if (typeof value !== 'object' || value === null) return false
  return 'id' in value && 'digest' in value && 'name' in value && 'createdAt' in value
}

function readText(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false }) === undefined
    ? undefined
    : readFileSync(path, 'utf8')
}
