/**
 * Who may ask, and how much: API keys and rate limits.
 *
 * Limits are counted in compute units, a weight per operation, in fixed windows of a minute and a
 * day for each key, or each address without one.
 */

import { Fault } from '../core/fault.ts'
import type { Clock } from '../core/world.ts'
import type { AdmissionHeaders, AdmissionRequest } from './admission-request.ts'
import { findKey, type StoredKey } from './api-keys.ts'

/** Units allowed in a minute and in a day. */
export type RateLimit = { readonly perMinute: number; readonly perDay: number }

/** How admission is set up. `keys` is asked on every request, so that a revocation counts at once. */
export type AdmissionParts = {
  readonly keysRequired: boolean
  readonly keys: () => readonly StoredKey[]
  readonly limit: RateLimit | undefined
  readonly clock: Clock
}

type Use = { minute: number; minuteUsed: number; day: number; dayUsed: number }

// Each entry takes about 150 bytes: at most 15 MB for callers seen within a day.
const maxCallers = 100_000

/** The setting `api.rateLimit`: `off` or `{ perMinute, perDay }`. Throws `bad-config`. */
export function readRateLimit(value: unknown): RateLimit | undefined {
  if (value === 'off' || value === false) return undefined
  if (typeof value === 'object' && value !== null && 'perMinute' in value) {
    const perMinute = Number(value.perMinute)
    const perDay = 'perDay' in value ? Number(value.perDay) : perMinute * 1_440
    if (perMinute > 0 && perDay > 0) return { perMinute, perDay }
  }
  throw new Fault(
    'bad-config',
    `api.rateLimit must be off or { perMinute, perDay }: ${JSON.stringify(value)}`,
  )
}

/** The check every request goes through before it is answered. */
export function createAdmission(
  parts: AdmissionParts,
): (request: AdmissionRequest) => AdmissionHeaders | undefined {
  const uses = new Map<string, Use>()
  return (request) => {
    const sent = keyOf(request)
    const key = sent === undefined ? undefined : findKey(parts.keys(), sent)
    if (sent !== undefined && key === undefined) {
      throw new Fault('key-required', 'the API key is not known here')
    }
    if (key === undefined && parts.keysRequired) {
      throw new Fault('key-required', 'an API key is required: send it as x-service-api-key')
    }
    if (parts.limit === undefined) return undefined
    return count(uses, key?.id ?? request.address, {
      ...parts,
      limit: parts.limit,
      weight: request.weight,
    })
  }
}

/** Whether a request carries an API key; admission has refused it where that is unknown. */
export function hasKey(request: AdmissionRequest): boolean {
  return keyOf(request) !== undefined
}

/** Source: reference of the original service; `rltoken` is what an older client sends. */
function keyOf(request: AdmissionRequest): string | undefined {
  const query = request.query
  const fromQuery =
    typeof query === 'object' && query !== null && 'rltoken' in query ? query.rltoken : undefined
  for (const value of [
    request.headers['x-service-api-key'],
    request.headers['x-glacier-api-key'],
    fromQuery,
  ]) {
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

function count(
  uses: Map<string, Use>,
  caller: string,
  parts: { readonly limit: RateLimit; readonly clock: Clock; readonly weight: number },
): AdmissionHeaders {
  const seconds = Math.floor(parts.clock.now() / 1_000)
  const minute = Math.floor(seconds / 60)
  const day = Math.floor(seconds / 86_400)
  const use = uses.get(caller) ?? { minute, minuteUsed: 0, day, dayUsed: 0 }
  if (use.minute !== minute) Object.assign(use, { minute, minuteUsed: 0 })
  if (use.day !== day) Object.assign(use, { day, dayUsed: 0 })
  use.minuteUsed += parts.weight
  use.dayUsed += parts.weight
  uses.delete(caller)
  uses.set(caller, use)
  const [oldest] = uses.keys()
  if (uses.size > maxCallers && oldest !== undefined) uses.delete(oldest)

  const { perMinute, perDay } = parts.limit
  if (use.minuteUsed > perMinute || use.dayUsed > perDay) {
    const reset = use.dayUsed > perDay ? 86_400 - (seconds % 86_400) : 60 - (seconds % 60)
    throw new Fault('rate-limited', `the limit is used up, it renews in seconds: ${reset}`, {
      detail: { reset },
    })
  }
  return {
    'ratelimit-policy': `${perMinute};w=60, ${perDay};w=86400`,
    'ratelimit-limit': String(perMinute),
    'ratelimit-remaining': String(perMinute - use.minuteUsed),
  }
}
