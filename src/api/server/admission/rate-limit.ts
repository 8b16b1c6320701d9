/** Limits of callers in compute units, and tiers of limits by name. */

import { Fault } from '../../../core/fault.ts'

/** Units allowed in a minute and in a day. */
export type RateLimit = { readonly perMinute: number; readonly perDay: number }

/** The setting `api.rateLimit`: `off` or `{ perMinute, perDay }`. Throws `bad-config`. */
export function readRateLimit(value: unknown): RateLimit | undefined {
  if (value === 'off' || value === false) return undefined
  return limitIn(value, 'api.rateLimit must be off or { perMinute, perDay }')
}

/** The setting `api.tiers`: limits by the name of the tier. Throws `bad-config`. */
export function readTiers(value: unknown): ReadonlyMap<string, RateLimit> {
  const words = 'api.tiers must hold { perMinute, perDay } by the name of a tier'
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refused(words, value)
  return new Map(
    Object.entries(value).map(([name, limit]): [string, RateLimit] => [
      name,
      limitIn(limit, words),
    ]),
  )
}

/** `{ perMinute, perDay }`, both whole numbers; a day is 1,440 minutes where it is not given. */
function limitIn(value: unknown, words: string): RateLimit {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refused(words, value)
  const given = new Map<string, unknown>(Object.entries(value))
  const perMinute = given.get('perMinute')
  const perDay = given.get('perDay') ?? Number(perMinute) * 1_440
  const isKnown = [...given.keys()].every((name) => name === 'perMinute' || name === 'perDay')
  if (!isKnown || !isUnits(perMinute) || !isUnits(perDay)) throw refused(words, value)
  return { perMinute, perDay }
}

function isUnits(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

function refused(words: string, value: unknown): Fault {
  return new Fault('bad-config', `${words}: ${JSON.stringify(value)}`)
}
