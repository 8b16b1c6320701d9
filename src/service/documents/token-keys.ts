/**
 * Keys that seal page tokens: made once, kept with the documents of the deployment, so that tokens
 * survive a restart and are good at every process.
 */

import { lifetimeSeconds, type TokenKey } from '../../api/operation/page-token.ts'
import { fromHex, toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { isObject, jsonOf } from '../../core/json.ts'
import type { Random } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Documents } from './documents.ts'

const name = 'page-token.key'
const secretBytes = 32
const highestId = 255

/** The keys of a deployment, as they are now; the first is made when there is none. */
export async function tokenKeys(
  documents: Documents,
  { random, log }: { readonly random: Random; readonly log: Log },
): Promise<() => readonly TokenKey[]> {
  await documents.change(name, (bytes) =>
    bytes === undefined ? keysText([newKey(random, [])]) : undefined,
  )
  return documents.watch({
    name,
    parse: (bytes) => readKeys(bytes, documents.place(name)),
    damaged: (error) => log.error('page token keys not read again', { error }),
  })
}

/**
 * Puts a new key before the others, which still open the tokens they sealed. Keys whose tokens have
 * all expired are dropped. The new key seals tokens once every process knows it.
 */
export function rotateTokenKeys(
  documents: Documents,
  random: Random,
  nowSeconds: number,
): Promise<void> {
  const startsAt = nowSeconds + Math.ceil(documents.spreadMs / 1_000)
  return documents.change(name, (bytes) => {
    const before = bytes === undefined ? [] : readKeys(bytes, documents.place(name))
    const older = before
      .map((key) => ({ ...key, retiredAt: key.retiredAt ?? startsAt }))
      .filter(({ retiredAt }) => nowSeconds < retiredAt + lifetimeSeconds)
    const made = newKey(random, before)
    return keysText([startsAt > nowSeconds ? { ...made, startsAt } : made, ...older])
  })
}

/** An id that no key of the list has; ids are one byte of a token. */
function newKey(random: Random, others: readonly TokenKey[]): TokenKey {
  const taken = new Set(others.map(({ id }) => id))
  let id = ((others[0]?.id ?? 0) % highestId) + 1
  while (taken.has(id) && taken.size < highestId) id = (id % highestId) + 1
  return { id, secret: random.bytes(secretBytes) }
}

/** The keys of the document at `place`. Throws `bad-config` for anything else. */
function readKeys(bytes: Uint8Array | undefined, place: string): readonly TokenKey[] {
  const keys = bytes === undefined ? undefined : jsonOf(bytes)
  const read = Array.isArray(keys) ? keys.map(keyOf) : []
  const known = read.filter((key) => key !== undefined)
  if (known.length === 0 || known.length < read.length)
    throw new Fault(
      'bad-config',
      `not a file of page token keys; remove it, and a new key is made: ${place}`,
    )
  return known
}

function keyOf(value: unknown): TokenKey | undefined {
  if (!isObject(value)) return undefined
  const { id, secret, startsAt, retiredAt } = value
  const isId = typeof id === 'number' && Number.isInteger(id) && id >= 0 && id <= highestId
  if (!isId || typeof secret !== 'string' || !/^[0-9a-f]{64}$/.test(secret)) return undefined
  return {
    id,
    secret: fromHex(secret),
    startsAt: typeof startsAt === 'number' ? startsAt : undefined,
    retiredAt: typeof retiredAt === 'number' ? retiredAt : undefined,
  }
}

function keysText(keys: readonly TokenKey[]): string {
  const plain = keys.map((key) => ({ ...key, secret: toHex(key.secret) }))
  return `${JSON.stringify(plain, undefined, 2)}\n`
}
