/** Web pages that may read answers: the setting `api.cors`. Source: WHATWG Fetch, part CORS. */

import { Fault } from '../../../core/fault.ts'
import { hostOf, isLoopback } from '../../../core/web-request.ts'

/** Decides by the `Origin` of a page. */
export type CorsPolicy = {
  readonly allows: (origin: string) => boolean
  /** True when every website is allowed, so that all get the same headers. */
  readonly any: boolean
}

/** No page of another site may. */
export const noCors: CorsPolicy = { allows: () => false, any: false }

const words = ['auto', 'any', 'loopback', 'none']

/**
 * Reads the setting for a listener at `host`. `auto`: every page where others reach the listener
 * anyway; pages of this machine where only it does, since else every page its user visits could
 * read a private network. Throws `bad-config`.
 */
export function corsPolicy(setting: readonly string[], host: string): CorsPolicy {
  const given = setting.map((word) =>
    word === 'auto' ? (isLoopback(host) ? 'loopback' : 'any') : word,
  )
  const origins = new Set<string>()
  for (const one of given) {
    if (words.includes(one)) continue
    if (!/^https?:\/\/[a-z0-9.[\]:-]+$/i.test(one))
      throw new Fault(
        'bad-config',
        `api.cors takes ${words.join(', ')} or origins like https://app.example: ${one}`,
      )
    origins.add(one.toLowerCase())
  }
  const any = given.includes('any')
  const loopback = given.includes('loopback')
  return {
    any,
    allows: (origin) =>
      any || origins.has(origin.toLowerCase()) || (loopback && isLoopbackOrigin(origin)),
  }
}

function isLoopbackOrigin(origin: string): boolean {
  const bare = hostOf(origin).replace(/:\d+$/, '')
  return isLoopback(bare.replace(/^\[(.*)\]$/, '$1'))
}

/** Headers of answers that scripts may read, beside those they always may. */
const exposed = [
  'x-request-id',
  'x-indexed-height',
  'x-indexed-at',
  'x-head-height',
  'x-balances',
  'ratelimit-policy',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'etag',
  'x-next-page-token',
  'allow',
].join(', ')

// A day; browsers cut it to two hours or less.
const preflightSeconds = '86400'

/** Headers for the page at `origin`; none where it may not read the answer. */
export function corsHeaders(policy: CorsPolicy, origin: string | undefined): [string, string][] {
  const vary: [string, string][] = policy.any ? [] : [['vary', 'origin']]
  if (policy.any)
    return [
      ['access-control-allow-origin', '*'],
      ['access-control-expose-headers', exposed],
    ]
  if (origin === undefined || !policy.allows(origin)) return vary
  return [
    ...vary,
    ['access-control-allow-origin', origin],
    ['access-control-expose-headers', exposed],
  ]
}

/** Headers that answer the question of a browser before a request. No cookies are ever used. */
export function preflightHeaders(
  methods: readonly string[],
  requested: string | undefined,
): [string, string][] {
  return [
    ['access-control-allow-methods', methods.join(', ')],
    // Browsers send only headers that are named here, and a page may choose the header of its key.
    ['access-control-allow-headers', requested ?? '*'],
    ['access-control-max-age', preflightSeconds],
  ]
}
