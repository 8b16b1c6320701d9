/**
 * HTTP to hosts that strangers name.
 *
 * A name is resolved once, every address it has must be public, and the connection goes to the
 * address that was checked, so that a second answer of its name server changes nothing. Numbers
 * in place of names are checked as well. Redirects are not followed: whoever follows one comes
 * again through here.
 */

import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'

import { Fault, faultOf } from '../core/fault.ts'
import type { Transport } from '../core/world.ts'
import { type LazyAgent, lazyAgent } from './lazy-agent.ts'
import { isPublicAddress } from './public-address.ts'

/** Parts that tests replace. */
export type PublicRules = {
  /** All addresses of a name. */
  readonly resolve: (name: string) => Promise<readonly string[]>
  readonly isAllowed: (address: string) => boolean
  readonly isAllowedPort: (port: number) => boolean
}

/** Hosts of metadata are many: few connections to each, none kept for long. */
const connectionsPerHost = 4
const connectTimeoutMs = 5_000
const keepAliveMs = 4_000

const strict: PublicRules = {
  resolve: (name) =>
    new Promise((resolve, reject) => {
      systemLookup(name, { all: true }, (error, addresses) => {
        if (error === null) resolve(addresses.map(({ address }) => address))
        else reject(error)
      })
    }),
  isAllowed: isPublicAddress,
  isAllowedPort: (port) => port === 80 || port === 443,
}

/** Opens one. `over` makes a transport that connects by the given agent. */
export function openPublicTransport(
  over: (agent: LazyAgent) => Transport,
  rules: PublicRules = strict,
): { readonly transport: Transport; readonly close: () => Promise<void> } {
  const agent = lazyAgent({
    connections: connectionsPerHost,
    keepAliveTimeout: keepAliveMs,
    connect: { timeout: connectTimeoutMs, lookup: guardedLookup(rules) },
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const inner = over(agent)
  return {
    transport: {
      request: async (request) => {
        checkUrl(request.url, rules)
        return inner.request(request)
      },
    },
    close: agent.destroy,
  }
}

/** Why nothing is sent to an address, as far as it shows in it; `undefined` where names decide. */
export function privateUrlProblem(url: URL): string | undefined {
  try {
    checkUrl(url.href, strict)
    return url.hostname === 'localhost' ? 'address is not public: localhost' : undefined
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined) throw error
    return fault.message
  }
}

/** Checks a URL before its name is resolved. Throws `node-refused`. */
function checkUrl(text: string, rules: PublicRules): void {
  const url = new URL(text)
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  if (!rules.isAllowedPort(port)) throw refused('port', String(port))
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // A socket given a number resolves nothing, so that no lookup would see it.
  if (isIP(host) !== 0 && !rules.isAllowed(host)) throw refused('address', host)
}

/** Resolves a name for a socket; fails when any of its addresses is not allowed. */
function guardedLookup({ resolve, isAllowed }: PublicRules): LookupFunction {
  const checked = callbackify(async (name: string): Promise<readonly string[]> => {
    const addresses = await resolve(name)
    const bad = addresses.find((address) => !isAllowed(address))
    if (bad !== undefined || addresses.length === 0) throw refused('address', bad ?? name)
    return addresses
  })
  return (name, options, callback) => {
    checked(name, (error, addresses) => {
      const found = error === null ? addresses : []
      const all = found.map((address) => ({ address, family: isIP(address) }))
      if (options.all === true) callback(error, all)
      else callback(error, all[0]?.address ?? '', all[0]?.family)
    })
  }
}

function refused(what: string, value: string): Fault {
  return new Fault('node-refused', `${what} is not public: ${value}`)
}
