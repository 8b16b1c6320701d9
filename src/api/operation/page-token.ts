/**
 * Page tokens: sealed, self-contained, bound to operation and filters, valid for 24 hours.
 *
 * Layout: version 1 · key id 1 · issued 4 (Unix seconds) · cursor · HMAC-SHA-256 of all this,
 * operation and filters, cut to 16. Nothing is kept on the server; two keys may be live at once.
 */

import { timingSafeEqual } from 'node:crypto'

import { bytesOfKey, concatBytes, fromHex, toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { sha256, sha256Key } from '../../core/hash.ts'
import { u8At } from '../../core/item-at.ts'
import type { Clock } from '../../core/world.ts'

/** A token is valid for this only: the operation and every parameter except the token itself. */
export type Binding = { readonly route: string; readonly filter: string }

/** A signing key. The first of a list that has started signs, all of them verify. */
export type TokenKey = {
  readonly id: number
  readonly secret: Uint8Array
  /** Unix second from which it signs: other processes know it by then. Absent: at once. */
  readonly startsAt?: number | undefined
  /** Unix second of the rotation that replaced it: what it sealed later is refused. */
  readonly retiredAt?: number | undefined
}

/** Opens and makes page tokens. */
export type PageTokens = {
  /** The cursor inside `token`; `undefined` without one. Throws `bad-page-token`. */
  readonly open: (token: string | undefined, binding: Binding) => Uint8Array | undefined
  /** A token for `cursor`, at most 160 bytes. */
  readonly seal: (cursor: Uint8Array, binding: Binding, form?: 'text' | 'uuids') => string
}

const version = 2
const headSize = 6
const macSize = 16
const sumSize = 32
/** UTF-8 takes at most this many bytes for a UTF-16 code unit. */
const mostBytesOfUnit = 3
/** 160 bytes of cursor make a token of 243 characters; how a verification ended takes 600 bytes. */
const maxTokenLength = 1_000

/** Seconds a token lives. */
export const lifetimeSeconds = 24 * 60 * 60

/** Seconds by which clocks of processes that share the keys may differ. */
const skewSeconds = 5

type KnownKey = {
  readonly id: number
  readonly mac: Mac
  readonly startsAt: number
  readonly retiredAt: number
}

/**
 * Makes tokens with `keys`; there must be at least one. A function is called each time, so that a
 * rotation counts at once; it must give the same list while nothing changed.
 */
export function createPageTokens(
  keys: readonly TokenKey[] | (() => readonly TokenKey[]),
  clock: Clock,
): PageTokens {
  let seen: readonly TokenKey[] | undefined
  let known: readonly KnownKey[] = []
  const current = (): readonly KnownKey[] => {
    const now = typeof keys === 'function' ? keys() : keys
    if (now !== seen) {
      seen = now
      known = now.map(({ id, secret, startsAt = 0, retiredAt = Infinity }) => ({
        id,
        mac: macOf(secret),
        startsAt,
        retiredAt,
      }))
    }
    return known
  }
  const seconds = (): number => Math.floor(clock.now() / 1_000)
  const signingKey = (): KnownKey => {
    const list = current()
    const now = seconds()
    // The first key of all has no older one that could sign until it starts.
    const signing = list.find(({ startsAt }) => startsAt <= now) ?? list.at(-1)
    if (signing === undefined) throw new Fault('bad-config', 'page tokens need a key')
    return signing
  }
  signingKey()

  const open = (token: string | undefined, binding: Binding): Uint8Array | undefined => {
    if (token === undefined || token === '') return undefined
    const bytes = tokenBytes(token)
    if (bytes === undefined || bytes.length < headSize + macSize) throw refused()
    const key = current().find((candidate) => candidate.id === bytes[1])
    if (bytes[0] !== version || key === undefined) throw refused()
    const sealed = bytes.subarray(0, bytes.length - macSize)
    if (!timingSafeEqual(key.mac(sealed, binding), bytes.subarray(bytes.length - macSize))) {
      throw refused()
    }
    const issued = new DataView(bytes.buffer, bytes.byteOffset).getUint32(2)
    const now = seconds()
    const isLive = now < issued + lifetimeSeconds && issued <= now + skewSeconds
    if (!isLive || issued > key.retiredAt + skewSeconds) throw refused()
    return sealed.subarray(headSize)
  }

  const seal = (cursor: Uint8Array, binding: Binding, form: 'text' | 'uuids' = 'text'): string => {
    const signing = signingKey()
    const sealed = Buffer.alloc(headSize + cursor.length)
    sealed[0] = version
    sealed[1] = signing.id
    sealed.writeUInt32BE(seconds(), 2)
    sealed.set(cursor, headSize)
    const bytes = Buffer.concat([sealed, signing.mac(sealed, binding)])
    return form === 'uuids' ? toUuids(bytes) : bytes.toString('base64url')
  }

  return { open, seal }
}

/** One message for every reason, so that a forger learns nothing. */
function refused(): Fault {
  return new Fault(
    'bad-page-token',
    'pageToken is not valid here: start again from the first page (tokens live 24 hours and belong to one query)',
  )
}

/** Computes the code that proves that this key sealed these bytes for this binding. */
type Mac = (sealed: Uint8Array, binding: Binding) => Uint8Array

/**
 * HMAC-SHA-256 as RFC 2104 defines it, cut to 16 bytes. Two one-shot hashes take a third of the
 * time of the runtime's own, which makes objects; every page of a list needs one.
 */
function macOf(secret: Uint8Array): Mac {
  const key = new Uint8Array(64)
  key.set(secret.length > key.length ? sha256(secret) : secret)
  const inner = key.map((byte) => byte ^ 0x36)
  const outer = key.map((byte) => byte ^ 0x5c)
  // A token of every page comes here: one buffer serves them all, and grows with the longest.
  let scratch = Buffer.concat([inner, Buffer.alloc(448)])
  const outerScratch = Buffer.concat([outer, Buffer.alloc(sumSize)])
  return (sealed, { route, filter }) => {
    // Lengths before the texts: no two bindings may read the same.
    const bound = `${route.length}:${route}${filter.length}:${filter}`
    const room = key.length + bound.length * mostBytesOfUnit + sealed.length
    if (scratch.length < room) scratch = Buffer.concat([inner, Buffer.alloc(room)])
    const from = key.length + scratch.write(bound, key.length, 'utf8')
    scratch.set(sealed, from)
    const sum = sha256Key(scratch.subarray(0, from + sealed.length))
    outerScratch.write(sum, key.length, 'latin1')
    return bytesOfKey(sha256Key(outerScratch)).subarray(0, macSize)
  }
}

function tokenBytes(token: string): Uint8Array | undefined {
  if (token.length > maxTokenLength) return undefined
  if (uuidRun.test(token)) {
    const bytes = fromHex(token.replace(/-/g, ''))
    // The last byte says how many bytes of padding end the run.
    const used = u8At(bytes, bytes.length - 1)
    if (used < 1 || used > 16) return undefined
    const inner = bytes.subarray(0, bytes.length - used)
    return toUuids(inner) === token ? inner : undefined
  }
  const bytes = Buffer.from(token, 'base64url')
  // One text per token: the decoder skips what it does not know, and bits that are left over.
  return bytes.toString('base64url') === token ? bytes : undefined
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const uuidRun = new RegExp(`^${uuid}(-${uuid})*$`)

/** `bytes` as UUID-formed groups joined by dashes; the padding's length is its last byte. */
function toUuids(bytes: Uint8Array): string {
  const padding = 16 - (bytes.length % 16)
  const padded = concatBytes(bytes, new Uint8Array(padding).fill(padding))
  const groups: string[] = []
  for (let at = 0; at < padded.length; at += 16) {
    const hex = toHex(padded.subarray(at, at + 16))
    groups.push(
      [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
        '-',
      ),
    )
  }
  return groups.join('-')
}
