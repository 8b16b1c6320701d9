/**
 * Admission of callers: API keys and rate limits.
 *
 * Limits are counted in compute units, a weight per operation, in fixed windows of a minute and a
 * day for each key, or each address without one, over all processes. A refused request counts nothing.
 */

import { Fault } from '../../../core/fault.ts'
import { isObject } from '../../../core/json.ts'
import { isLoopback } from '../../../core/web-request.ts'
import type { Clock } from '../../../core/world.ts'
import { callerOf } from '../../../http/caller-address.ts'
import type { MaybePromise } from '../../../store/engine/database.ts'
import type { Use } from '../../../store/query/api-use.ts'
import type { Caller } from '../../operation/operation.ts'
import { findKey, type StoredKey } from './api-keys.ts'
import type { RateLimit } from './rate-limit.ts'
import type { UseCounter } from './use-counter.ts'

/**
 * Settings of admission. `keys` is read on every request, so that a revocation counts at once.
 */
export type AdmissionOptions = {
  readonly keysRequired: boolean
  readonly keys: () => readonly StoredKey[]
  /** Of addresses, and of keys without a limit of their own; `undefined`: none. */
  readonly limit: RateLimit | undefined
  /** Limits of keys by the name of their tier. */
  readonly tiers?: ReadonlyMap<string, RateLimit>
  readonly uses: UseCounter
  readonly clock: Clock
}

/** The check every request goes through before it is answered. */
export function createAdmission(
  options: AdmissionOptions,
): (request: AdmissionRequest) => MaybePromise<AdmissionHeaders | undefined> {
  return (request) => {
    const key = callerKey(request, options)
    if (key !== undefined) options.uses.touch(key.id)
    const limit = limitOf(key, options)
    if (limit === undefined) return undefined
    return count(nameOf(request, key), request.weight, { ...options, limit })
  }
}

/** The sender of a request, as far as the request shows. */
export function callerIn(request: AdmissionRequest, keys: readonly StoredKey[]): Caller {
  const sent = sentKey(request)
  const key = sent === undefined ? undefined : findKey(keys, sent)
  return {
    name: nameOf(request, key),
    key: key?.id,
    hasKeys: keys.length > 0,
    isLoopback: isLoopback(plainAddress(request)),
    origin: originOf(request),
  }
}

/** The name under which a caller is counted. */
function nameOf({ address }: AdmissionRequest, key: StoredKey | undefined): string {
  return key === undefined ? `address:${callerOf(address)}` : `key:${key.id}`
}

/** Where the caller reached this service: by TLS only where a proxy before it says so. */
function originOf({ headers }: AdmissionRequest): string {
  const { host, 'x-forwarded-proto': scheme } = headers
  return typeof host === 'string' ? `${scheme === 'https' ? 'https' : 'http'}://${host}` : ''
}

/** An IPv4 address in its usual form, also where it is written as IPv6. */
function plainAddress({ address }: AdmissionRequest): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

/**
 * The key of a request. Throws `key-required` for an unknown key, and for a missing one where keys
 * are required.
 */
function callerKey(request: AdmissionRequest, options: AdmissionOptions): StoredKey | undefined {
  const sent = sentKey(request)
  const keys = options.keys()
  if (sent !== undefined) {
    const key = findKey(keys, sent)
    if (key !== undefined) return key
    // A client that moves here from another service still sends that service's key. The key is
    // ignored where none was ever made here.
    const isOpen = keys.length === 0 && !options.keysRequired && options.limit === undefined
    if (!isOpen) throw new Fault('key-required', 'the API key is not known here')
  }
  if (options.keysRequired)
    throw new Fault('key-required', 'an API key is required: send it as x-service-api-key')
  return undefined
}

function limitOf(key: StoredKey | undefined, options: AdmissionOptions): RateLimit | undefined {
  if (key?.limit !== undefined) return key.limit
  const tier = key?.tier === undefined ? undefined : options.tiers?.get(key.tier)
  return tier ?? options.limit
}

/** Source: reference of the original service. Older clients send `rltoken`, tools of the Etherscan form `apikey`. */
function sentKey(request: AdmissionRequest): string | undefined {
  const query = request.query
  const fromQuery = isObject(query) ? (query['rltoken'] ?? query['apikey']) : undefined
  for (const value of [
    request.headers['x-service-api-key'],
    request.headers['x-glacier-api-key'],
    fromQuery,
  ]) {
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

/**
 * Counts and gives the headers of the answer; throws `rate-limited` with the same in its detail.
 */
function count(
  caller: string,
  weight: number,
  { uses, limit, clock }: AdmissionOptions & { readonly limit: RateLimit },
): MaybePromise<AdmissionHeaders> {
  const headers = (isTaken: boolean): AdmissionHeaders => {
    const now = uses.of(caller)
    if (isTaken) return stateOf(now, 0, { limit, clock }).headers
    const { headers, reset } = stateOf(now, weight, { limit, clock })
    throw new Fault('rate-limited', `rate limit exceeded; retry in ${reset} s`, {
      detail: { reset, ...headers },
    })
  }
  const taken = uses.take(caller, weight, limit)
  return typeof taken === 'boolean' ? headers(taken) : taken.then(headers)
}

/** Headers for the window that has less left: of the day once that is nearer to its end. */
function stateOf(
  { minuteUsed, dayUsed }: Use,
  weight: number,
  { limit, clock }: { readonly limit: RateLimit; readonly clock: Clock },
): { readonly headers: AdmissionHeaders; readonly reset: number } {
  const seconds = Math.floor(clock.now() / 1_000)
  const { perMinute, perDay } = limit
  const left = { minute: Math.max(0, perMinute - minuteUsed), day: Math.max(0, perDay - dayUsed) }
  const isDay = weight > 0 ? weight > left.day : left.day < left.minute
  const reset = isDay ? 86_400 - (seconds % 86_400) : 60 - (seconds % 60)
  return {
    reset,
    headers: {
      'ratelimit-policy': `${perMinute};w=60, ${perDay};w=86400`,
      'ratelimit-limit': String(isDay ? perDay : perMinute),
      'ratelimit-remaining': String(isDay ? left.day : left.minute),
      'ratelimit-reset': String(reset),
    },
  }
}

/** The part of a request that admission reads. */
export type AdmissionRequest = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly query: unknown
  readonly address: string
  readonly weight: number
}

/** Headers admission adds to the answer. */
export type AdmissionHeaders = Readonly<Record<string, string>>
