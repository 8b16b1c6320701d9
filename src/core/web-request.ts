/**
 * Headers that show which web page sent a request, if one did.
 *
 * Browsers let any page send requests to services that only their user can reach. Both listeners
 * therefore check which host the page addressed, and which site it is of.
 */

/** Headers by lower-case name. */
export type WebHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * A guard against DNS rebinding: a web page can make any name lead here, but an address as it is
 * written is no name of anybody. `*` allows all names; an absent host is no browser's.
 */
export function isAllowedHost(host: string, allowed: readonly string[]): boolean {
  if (host === '' || allowed.includes('*')) return true
  // As Go splits them: brackets without a port are no address.
  const bare = /^\[(.*)\]:[^:]*$/.exec(host)?.[1] ?? /^([^:]*):[^:]*$/.exec(host)?.[1] ?? host
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(bare) || /^[0-9a-f.]*:[0-9a-f:.]*$/i.test(bare)) return true
  return allowed.some((name) => name.toLowerCase() === bare.toLowerCase())
}

/** Returns whether only this machine can reach an address to listen on. Names are not looked up. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/**
 * Returns whether a page of another site sent this. Programs send neither header.
 * Source: W3C Fetch Metadata, WHATWG Fetch (Origin).
 */
export function isCrossSite(headers: WebHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin, host } = headers
  if (origin === undefined) return false
  return (
    typeof origin !== 'string' || typeof host !== 'string' || hostOf(origin) !== host.toLowerCase()
  )
}

/** Host and port of an origin; empty for `null` and what is no origin. */
export function hostOf(origin: string): string {
  return /^https?:\/\/([^/?#@]+)$/i.exec(origin)?.[1]?.toLowerCase() ?? ''
}
