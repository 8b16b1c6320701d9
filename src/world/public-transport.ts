/**
 * HTTP to hosts that strangers name.
 *
 * A name is resolved once, every address it has must be public, and the connection goes to the
 * address that was checked, so that a second answer of its name server changes nothing. Numbers
 * in place of names are checked as well. Redirects are not followed: whoever follows one comes
 * again through here.
 */

import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'

import { Fault, faultIn } from '../core/fault.ts'
import type { Transport } from '../core/world.ts'
import { type LazyAgent, lazyAgent } from './lazy-agent.ts'

/** Parts that tests replace. */
export type PublicRules = {
  /** All addresses of a name. */
  readonly resolve: (name: string) => Promise<readonly string[]>
  readonly isAllowed: (address: string) => boolean
  readonly isAllowedPort: (port: number) => boolean
}

/**
 * IPv4 blocks nobody outside may be reached under.
 *
 * Source: IANA special-purpose address registries; 169.254.169.254 is where clouds keep secrets.
 */
const privateV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Of IPv6 only 2000::/3 is given out, and of that these carry or stand for something else. */
const privateV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]

const denied = new BlockList()
for (const [network, bits] of privateV4) denied.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of privateV6) denied.addSubnet(network, bits, 'ipv6')
const given = new BlockList()
given.addSubnet('2000::', 3, 'ipv6')

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
    const fault = faultIn(error)
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

/** Returns whether `address`, IPv4 or IPv6 text, belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !denied.check(address, 'ipv4')
    case 6:
      // A zone names an interface of this machine.
      if (address.includes('%')) return false
      return given.check(address, 'ipv6') && !denied.check(address, 'ipv6')
    default:
      return false
  }
}
