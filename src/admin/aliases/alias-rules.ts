/**
 * Rules of the names that may be given, and of their meaning. Messages are the original's where it
 * has one.
 */

import { Fault } from '../../core/fault.ts'
import type { Network } from '../../core/network.ts'
import { canonicalId } from '../chain-id.ts'

/** A chain as the node listener shows it. */
export type NodeChain = {
  /** cb58 of the blockchain id; in decimal the EVM chain id where that is unknown. */
  readonly id: string
  readonly network: Network
  /** Names the original shows before the id: `C`, `evm`. */
  readonly names: readonly string[]
  /** Names of the data API: `c-chain`, the EVM chain id in decimal. Understood, not shown. */
  readonly otherNames: readonly string[]
  /** `evm`: JSON-RPC at `/rpc`. `plain`: at the base itself, as P and X. */
  readonly kind: 'evm' | 'plain'
  /** Id of its virtual machine, cb58, where known. */
  readonly vmId?: string | undefined
  /** Whole addresses of its node's RPC, in order of preference. */
  readonly rpcUrls: readonly string[]
  /** True when the chain is served up to its head. */
  readonly isLive: () => boolean
}

/** A name and what it stands for: a chain's id, or a base below `/ext/`. */
export type Alias = { readonly alias: string; readonly target: string }

/** All aliases, in order of creation. */
export type Aliases = { readonly chains: readonly Alias[]; readonly routes: readonly Alias[] }

/** Every name there is, by what it is looked up by. */
export type NameIndex = {
  readonly chains: readonly NodeChain[]
  readonly bases: readonly string[]
  readonly byId: ReadonlyMap<string, NodeChain>
  readonly byName: ReadonlyMap<string, NodeChain>
  /** Chain aliases to ids, in order of creation. */
  readonly operator: Map<string, string>
  /** Endpoint aliases to bases, in order of creation. */
  readonly routes: Map<string, string>
}

/** Longest alias, bytes of UTF-8. Source: avalanchego api/admin/service.go, maxAliasLength. */
const maxAliasBytes = 512

// The original's names of the primary network's chains, routes of their own: `/ext/X`.
const routeNames: readonly string[] = ['P', 'platform', 'X', 'avm', 'C', 'evm']

// Every name the API gives a meaning of its own, on either network.
const ownNames: readonly string[] = [
  ...routeNames,
  ...'p-chain x-chain c-chain total mainnet testnet fuji'.split(' '),
]

/** The names of `chains` alone. */
export function emptyIndex(chains: readonly NodeChain[], bases: readonly string[]): NameIndex {
  return indexOf({ chains: [], routes: [] }, chains, bases)
}

/** The names of `chains` and those the operator gave. */
export function indexOf(
  aliases: Aliases,
  chains: readonly NodeChain[],
  bases: readonly string[],
): NameIndex {
  const byId = new Map<string, NodeChain>()
  const byName = new Map<string, NodeChain>()
  for (const chain of chains) {
    if (!byId.has(chain.id)) byId.set(chain.id, chain)
    // With two networks the first configured one owns `P`, `X` and `C`.
    for (const name of [...chain.names, ...chain.otherNames]) {
      if (!byName.has(name)) byName.set(name, chain)
    }
  }
  const operator = new Map(aliases.chains.map(({ alias, target }) => [alias, target]))
  const routes = new Map(aliases.routes.map(({ alias, target }) => [alias, target]))
  return { chains, bases, byId, byName, operator, routes }
}

/** The names the operator gave. */
export function allOf({ operator, routes }: NameIndex): Aliases {
  const listed = (map: Map<string, string>): Alias[] =>
    [...map].map(([alias, target]) => ({ alias, target }))
  return { chains: listed(operator), routes: listed(routes) }
}

/** The chain a name means: an alias, a built-in name, or an id in cb58 or hex. */
export function chainOf(index: NameIndex, name: string): NodeChain | undefined {
  const target = index.operator.get(name)
  if (target !== undefined) return index.byId.get(target)
  const known = index.byName.get(name) ?? index.byId.get(name)
  if (known !== undefined) return known
  const id = canonicalId(name)
  return id === undefined ? undefined : index.byId.get(id)
}

/** The alias to add for a chain. Throws `bad-parameter`. */
export function checkChainAlias(index: NameIndex, chain: string, alias: string): Alias {
  checkLength(alias)
  const target = chainOf(index, chain)
  if (target === undefined) refuse(`there is no ID with alias: ${chain}`)
  return checkStoredAlias(index, target.id, alias)
}

/**
 * As {@link checkChainAlias}, of a chain that need not be configured now: the alias waits for it.
 */
export function checkStoredAlias(index: NameIndex, id: string, alias: string): Alias {
  checkLength(alias)
  checkSegments([alias], 'alias')
  if (isReserved(alias) || index.operator.has(alias) || chainOf(index, alias) !== undefined) {
    refuse(`alias already mapped to an ID: ${alias}`)
  }
  if (index.routes.has(`bc/${alias}`)) refuseRoute(`bc/${alias}`)
  return { alias, target: id }
}

/** The alias to add for an endpoint. An endpoint that does not exist yet may be named too. */
export function checkRouteAlias(index: NameIndex, endpoint: string, alias: string): Alias {
  checkLength(alias)
  checkSegments(alias.split('/'), 'alias')
  checkLength(endpoint)
  checkSegments(endpoint.split('/'), 'endpoint')
  const inChains = /^(?:bc\/)?([^/]+)$/.exec(alias)?.[1] ?? ''
  const isChain = alias.startsWith('bc/') && chainOf(index, inChains) !== undefined
  if (index.bases.includes(alias) || (isChain && canonicalId(inChains) !== undefined)) {
    refuse(`failed to create endpoint as /ext/${alias} already exists`)
  }
  if (isChain || routeNames.includes(inChains) || index.routes.has(alias)) refuseRoute(alias)
  return { alias, target: endpoint }
}

function isReserved(alias: string): boolean {
  return ownNames.includes(alias) || /^[0-9]+$/.test(alias) || canonicalId(alias) !== undefined
}

function checkLength(alias: string): void {
  if (new TextEncoder().encode(alias).length > maxAliasBytes) refuse('alias length is too long')
}

/** Segments of letters, digits, `._~:@!$&'()*+,;=-` and printable text beyond ASCII. */
function checkSegments(segments: readonly string[], what: string): void {
  for (const segment of segments) {
    const clean = /^[A-Za-z0-9._~:@!$&'()*+,;=\-\u00a1-\u{10ffff}]+$/u.test(segment)
    const readable = !/[\p{C}\p{Z}]/u.test(segment)
    if (!clean || !readable || segment === '.' || segment === '..') {
      refuse(`${what} contains an invalid character`)
    }
  }
}

function refuseRoute(alias: string): never {
  refuse(`route is either already aliased or already maps to a handle: /ext/${alias}`)
}

function refuse(message: string): never {
  throw new Fault('bad-parameter', message)
}
