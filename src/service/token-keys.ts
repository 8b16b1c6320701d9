/**
 * Keys that seal page tokens: made once, kept in the data folder, so that tokens survive a restart.
 */

import { lifetimeSeconds, type TokenKey } from '../api/page-token.ts'
import { isObject } from '../codec/evm/raw.ts'
import { fromHex, toHex } from '../core/bytes.ts'
import { Fault } from '../core/fault.ts'
import type { Random } from '../core/world.ts'
import type { Log } from '../telemetry/log.ts'
import { bytesOf, watchedFile } from './watched-file.ts'
import { writeWhole } from './whole-file.ts'

const fileName = 'page-token.key'
const secretBytes = 32
const highestId = 255

/** The keys of a data folder, as they are now; the first is made when there is none. */
export function tokenKeys(
  dataDir: string,
  { random, log }: { readonly random: Random; readonly log: Log },
): () => readonly TokenKey[] {
  const path = `${dataDir}/${fileName}`
  if (bytesOf(path) === undefined) writeKeys(path, [newKey(random, [])])
  return watchedFile({
    path,
    parse: (bytes) => readKeys(bytes, path),
    damaged: (error) => log.error('page token keys not read again', { error }),
  })
}

/**
 * Puts a new key before the others, which open what they sealed until now. Those whose tokens are
 * all over are dropped. Gives how many older keys are still accepted.
 */
export function rotateTokenKeys(dataDir: string, random: Random, nowSeconds: number): number {
  const path = `${dataDir}/${fileName}`
  const bytes = bytesOf(path)
  const before = bytes === undefined ? [] : readKeys(bytes, path)
  const older = before
    .map((key) => ({ ...key, retiredAt: key.retiredAt ?? nowSeconds }))
    .filter(({ retiredAt }) => nowSeconds < retiredAt + lifetimeSeconds)
  writeKeys(path, [newKey(random, before), ...older])
  return older.length
}

/** An id that no key of the list has; ids are one byte of a token. */
function newKey(random: Random, others: readonly TokenKey[]): TokenKey {
  const taken = new Set(others.map(({ id }) => id))
  let id = ((others[0]?.id ?? 0) % highestId) + 1
  while (taken.has(id) && taken.size < highestId) id = (id % highestId) + 1
  return { id, secret: random.bytes(secretBytes) }
}

/** The keys of the file. Throws `bad-config` for anything else. */
function readKeys(bytes: Uint8Array | undefined, path: string): readonly TokenKey[] {
  const keys = parsed(bytes)
  const read = Array.isArray(keys) ? keys.map(keyOf) : []
  const known = read.filter((key) => key !== undefined)
  if (known.length === 0 || known.length < read.length)
    throw new Fault(
      'bad-config',
      `not a file of page token keys; remove it, and a new key is made: ${path}`,
    )
  return known
}

function parsed(bytes: Uint8Array | undefined): unknown {
  if (bytes === undefined) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // Not JSON: the form of 0.1.0, or damaged, which the caller tells.
    return formerKeys(bytes)
  }
}

/** Keys as 0.1.0 wrote them: one byte of id and 32 of secret each. */
function formerKeys(bytes: Uint8Array): unknown {
  const size = secretBytes + 1
  if (bytes.length === 0 || bytes.length % size !== 0) return undefined
  return Array.from({ length: bytes.length / size }, (_, at) => ({
    id: bytes[at * size],
    secret: toHex(bytes.subarray(at * size + 1, (at + 1) * size)),
  }))
}

function keyOf(value: unknown): TokenKey | undefined {
  if (!isObject(value)) return undefined
  const { id, secret, retiredAt } = value
  const isId = typeof id === 'number' && Number.isInteger(id) && id >= 0 && id <= highestId
  if (!isId || typeof secret !== 'string' || !/^[0-9a-f]{64}$/.test(secret)) return undefined
  return {
    id,
    secret: fromHex(secret),
    ...(typeof retiredAt === 'number' ? { retiredAt } : {}),
  }
}

function writeKeys(path: string, keys: readonly TokenKey[]): void {
  const plain = keys.map((key) => ({ ...key, secret: toHex(key.secret) }))
  writeWhole(path, `${JSON.stringify(plain, undefined, 2)}\n`)
}
