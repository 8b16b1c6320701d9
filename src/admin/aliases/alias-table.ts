/**
 * Names an operator gives to chains and to endpoints of the node listener.
 *
 * A chain alias stands wherever a chain or blockchain id does: in `/ext/bc/…` and in every path of
 * the data and metrics API. A change is checked whole, saved, then made: all of it or nothing.
 * Names of the product itself can never be taken.
 */

import { Fault } from '../../core/fault.ts'
import { jsonOf, membersOf } from '../../core/json.ts'
import type { Files } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'
import { createSemaphore } from '../../telemetry/threads/semaphore.ts'
import type { Waits } from '../../telemetry/threads/waits.ts'
import {
  allOf,
  chainOf,
  checkChainAlias,
  checkRouteAlias,
  checkStoredAlias,
  emptyIndex,
  indexOf,
  type Alias,
  type Aliases,
  type NameIndex,
  type NodeChain,
} from './alias-rules.ts'

/** Where aliases outlive the process. */
export type AliasStore = {
  readonly load: () => Promise<Aliases>
  /**
   * Whole or not at all. Throws `store-failed` where another process changed what `latest` gave.
   */
  readonly save: (aliases: Aliases) => Promise<void>
  /** Where other processes change them: what is stored, the same object until it changes. */
  readonly shared?: {
    readonly latest: () => Aliases
    /** Makes `latest` give what is stored now. */
    readonly refresh: () => Promise<void>
  }
}

/** The names of a process. Methods that change throw `bad-parameter` in the original's words. */
export type AliasTable = {
  /** Canonical id of the chain that `name` (alias, built-in name, cb58 or hex id) means. */
  readonly resolve: (name: string) => string | undefined
  readonly chainOf: (name: string) => NodeChain | undefined
  /** Names of a chain in order: built-in, id, aliases. Empty for an unknown id. */
  readonly namesOf: (id: string) => readonly string[]
  /** The base an endpoint alias stands for. */
  readonly routeOf: (alias: string) => string | undefined
  readonly all: () => Aliases
  readonly aliasChain: (chain: string, alias: string) => Promise<void>
  readonly aliasRoute: (endpoint: string, alias: string) => Promise<void>
  /** Removes an alias of either kind. Throws `not-found`. */
  readonly remove: (alias: string) => Promise<void>
}

// Far beyond any use, and a table of this size still loads in milliseconds.
const maxAliases = 10_000

type AliasTableOptions = {
  /** A new list whenever a chain came or became known better. */
  readonly chains: () => readonly NodeChain[]
  /** Bases that exist by themselves: `admin`, `info`. */
  readonly bases: readonly string[]
  readonly store: AliasStore
  readonly waits: Waits
  readonly log: Log
}

/** The table with what the store holds; stored names that can no longer be are dropped. */
export async function createAliasTable(options: AliasTableOptions): Promise<AliasTable> {
  const { chains, bases, store } = options
  const turn = createSemaphore({ name: 'alias table', permits: 1, waits: options.waits })
  let seen = store.shared?.latest()
  let index = emptyIndex(chains(), bases)
  keepStored(index, await store.load(), options)

  function current(): NameIndex {
    const latest = store.shared?.latest()
    if (latest !== undefined && latest !== seen) {
      seen = latest
      index = emptyIndex(chains(), bases)
      keepStored(index, latest, options)
    }
    if (index.chains !== chains()) index = indexOf(allOf(index), chains(), bases)
    return index
  }

  /** Checks, saves and makes a change; one at a time. */
  function change(make: (index: NameIndex) => Aliases): Promise<void> {
    return turn.run(async () => {
      await store.shared?.refresh()
      const next = make(current())
      await store.save(next)
      index = indexOf(next, chains(), bases)
    })
  }

  function add(kind: keyof Aliases, check: (index: NameIndex) => Alias): Promise<void> {
    return change((names) => {
      const before = allOf(names)
      const added = check(names)
      if (before.chains.length + before.routes.length >= maxAliases) {
        throw new Fault('bad-parameter', `too many aliases: ${maxAliases}`)
      }
      return { ...before, [kind]: [...before[kind], added] }
    })
  }

  return {
    resolve: (name) => chainOf(current(), name)?.id,
    chainOf: (name) => chainOf(current(), name),
    namesOf: (id) => namesOf(current(), id),
    routeOf: (alias) => current().routes.get(alias),
    all: () => allOf(current()),
    aliasChain: (chain, alias) => add('chains', (names) => checkChainAlias(names, chain, alias)),
    aliasRoute: (endpoint, alias) =>
      add('routes', (names) => checkRouteAlias(names, endpoint, alias)),
    remove: (alias) => change((names) => without(allOf(names), alias)),
  }
}

function keepStored(index: NameIndex, stored: Aliases, { log }: AliasTableOptions): void {
  const keep = (into: Map<string, string>, check: () => Alias, alias: string): void => {
    try {
      const { target } = check()
      into.set(alias, target)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      log.warn('stored alias dropped', { alias, reason: error.message })
    }
  }
  for (const { alias, target } of stored.chains) {
    keep(index.operator, () => checkStoredAlias(index, target, alias), alias)
  }
  for (const { alias, target } of stored.routes) {
    keep(index.routes, () => checkRouteAlias(index, target, alias), alias)
  }
}

function namesOf(index: NameIndex, id: string): readonly string[] {
  const chain = index.byId.get(id)
  const own = chain === undefined ? [] : [...chain.names, chain.id]
  const given = [...index.operator].filter(([, target]) => target === id)
  return [...own, ...given.map(([alias]) => alias)]
}

function without(aliases: Aliases, alias: string): Aliases {
  const others = (list: readonly Alias[]): Alias[] => list.filter((entry) => entry.alias !== alias)
  const [chains, routes] = [others(aliases.chains), others(aliases.routes)]
  if (chains.length === aliases.chains.length && routes.length === aliases.routes.length) {
    throw new Fault('not-found', `there is no alias: ${alias}`)
  }
  return { chains, routes }
}

// Aliases in a file of the data folder, so that they outlive the process.

/** The store in the file at `path`. A file that cannot be read as aliases is `bad-config`. */
export function aliasFile(path: string, files: Files): AliasStore {
  return {
    load: async () => {
      const bytes = await files.read(path)
      return aliasesIn(bytes, path)
    },
    save: async (aliases) => {
      await files.write(path, new TextEncoder().encode(aliasText(aliases)))
    },
  }
}

/** Keeps nothing: aliases end with the process, as the original's do. */
export const noAliasStore: AliasStore = {
  load: async () => ({ chains: [], routes: [] }),
  save: async () => undefined,
}

/** Aliases as they are kept. */
export function aliasText(aliases: Aliases): string {
  return `${JSON.stringify({ version: 1, ...aliases }, undefined, 1)}\n`
}

/** The aliases in `bytes`, none without any; `place` says where they lie. Throws `bad-config`. */
export function aliasesIn(bytes: Uint8Array | undefined, place: string): Aliases {
  if (bytes === undefined) return { chains: [], routes: [] }
  const { version, chains, routes } = membersOf(jsonOf(bytes))
  if (version !== 1 || !isAliases(chains) || !isAliases(routes)) {
    throw new Fault('bad-config', `not a file of aliases: ${place}`)
  }
  return { chains, routes }
}

function isAliases(value: unknown): value is Alias[] {
  return (
    Array.isArray(value) &&
    value.every((entry) => {
      const { alias, target } = membersOf(entry)
      return typeof alias === 'string' && typeof target === 'string'
    })
  )
}
