/**
 * From a path below `/ext/` to its handler.
 *
 * Existing routes come first, so that an alias can never hide one; then the operator's endpoint
 * aliases, longest first. Looked up anew for each request: a new alias works at once.
 */

import type { NodeChain } from './aliases/alias-rules.ts'
import type { AliasTable } from './aliases/alias-table.ts'
import type { NodeReply, NodeRequest } from './node-http.ts'

/** Answers one route. */
export type RouteHandler = (request: NodeRequest) => Promise<NodeReply> | NodeReply

/** The route of a request, the base under which it is counted, and the path after the base. */
export type Route = {
  readonly handler: RouteHandler
  readonly base: string
  readonly extension: string
}

/** Routes that exist without an alias. */
type RouteTable = {
  /** Handlers by base and extension: `health` and `/readiness`. */
  readonly fixed: ReadonlyMap<string, ReadonlyMap<string, RouteHandler>>
  /** Handler of a chain's extension, `undefined` when it has none of this name. */
  readonly chain: (chain: NodeChain, extension: string) => RouteHandler | undefined
  readonly aliases: AliasTable
}

// An alias of an alias of an alias; longer chains, and circles, lead nowhere.
const maxAliasSteps = 8

// A base of more segments than the longest alias (512 bytes, two a segment) cannot exist.
const maxSegments = 260

/** The route of a decoded path without its leading `/ext/`. */
export function findRoute(path: string, options: RouteTable): Route | undefined {
  const splits = splitsOf(path)
  for (const { base, extension } of splits) {
    const handler = direct(base, extension, options)
    if (handler !== undefined) return { handler, base: countedBase(base), extension }
  }
  for (const { base, extension } of splits) {
    const target = followAlias(base, options.aliases)
    if (target === undefined) continue
    const handler = direct(target, extension, options)
    if (handler !== undefined) return { handler, base: countedBase(target), extension }
  }
  return undefined
}

type Split = { readonly base: string; readonly extension: string }

/** All ways to cut a path into base and extension, longest base first. */
function splitsOf(path: string): readonly Split[] {
  const splits: Split[] = []
  let cut = path.length
  while (cut > 0 && splits.length < maxSegments) {
    splits.push({ base: path.slice(0, cut), extension: path.slice(cut) })
    cut = path.lastIndexOf('/', cut - 1)
  }
  return splits
}

function direct(base: string, extension: string, options: RouteTable): RouteHandler | undefined {
  const fixed = options.fixed.get(base)?.get(extension)
  if (fixed !== undefined) return fixed
  const inChains = base.startsWith('bc/')
  const name = inChains ? base.slice(3) : base
  if (name.includes('/')) return undefined
  const chain = options.aliases.chainOf(name)
  // Without `bc/` only the original's own names: `/ext/C`, not `/ext/mychain`.
  if (chain === undefined || !(inChains || chain.names.includes(name))) return undefined
  return options.chain(chain, extension)
}

function followAlias(base: string, aliases: AliasTable): string | undefined {
  let target = aliases.routeOf(base)
  for (let step = 0; step < maxAliasSteps && target !== undefined; step++) {
    const next = aliases.routeOf(target)
    if (next === undefined) return target
    target = next
  }
  return undefined
}

/** Chains are counted as one: their names are no closed set. */
function countedBase(base: string): string {
  return base.includes('/') ? 'bc' : base
}
