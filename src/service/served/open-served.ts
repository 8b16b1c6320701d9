/** Everything that this process answers from: stores that it reads, and aggregators. */

import { type ServedNetwork, openNetwork } from '../../api/primary/network/networks.ts'
import type { Config } from '../../config/settings.ts'
import { faultOf } from '../../core/fault.ts'
import type { Network } from '../../core/network.ts'
import type { World, Clock } from '../../core/world.ts'
import type { ChainStatus } from '../../indexing/run/status-board.ts'
import type { PrimaryStreamSpec, StreamSpec } from '../../indexing/stream/stream-spec.ts'
import { primaryPartKinds } from '../../source/primary/recorded-source.ts'
import { listParts } from '../../source/recorded/recording-file.ts'
import type { Database } from '../../store/engine/database.ts'
import { type StoreLocation, openStore } from '../../store/open.ts'
import { logStoreOf } from '../../store/schema/logs.ts'
import { messageTables, primaryStoreTables } from '../../store/schema/stores.ts'
import type { Table } from '../../store/schema/table.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { Log } from '../../telemetry/log.ts'
import { messageStore, primaryStream, sourceLimits, type SpecifiedChain } from '../chain-specs.ts'
import type { ReadableStore } from '../status/readiness.ts'
import type { Aggregators, AggregatorsOptions } from '../warp/aggregators.ts'
import { serveChains, type ServedChains } from './served-chains.ts'

/** Everything that is served; it grows while stores appear. */
export type Served = {
  readonly chains: ServedChains
  readonly networks: ServedNetworks
  readonly messages: FollowedStore
  readonly aggregators: Aggregators
  readonly close: () => Promise<void>
}

type ServedOptions = {
  readonly chains: readonly SpecifiedChain[]
  readonly streams: readonly StreamSpec[]
  readonly store: StoreLocation
  readonly world: World
  readonly log: Log
  readonly gauges: Gauges
  readonly signal: AbortSignal
  readonly indexed: () => readonly ChainStatus[]
  /** Keys of stores that hold another chain or network than the one configured. */
  readonly foreign: () => ReadonlySet<string>
  /** The parts of the main thread; without them this thread opens its own. */
  readonly aggregators?: Aggregators | undefined
}

/** Opens what exists already and goes on to open what appears, until `signal` is aborted. */
export async function openServed(config: Config, options: ServedOptions): Promise<Served> {
  const { store, world, signal, log } = options
  const isServing = config.role !== 'index'
  const following = { store, clock: world.clock, log, signal }
  const primaries = options.streams.filter((stream) => stream.kind === 'primary')
  const foreign = (key: string): boolean => options.foreign().has(key)
  const allChains = await serveChains({
    ...options,
    chains: isServing ? options.chains : [],
    limits: sourceLimits(config),
    isFollowed: (key) => {
      // False where blocks are stopped or held up; where another process indexes nothing is known.
      const stages = options.indexed().find((chain) => chain.key === key)?.stages
      const blocks = stages?.find(({ stage }) => stage === 'blocks')
      return blocks === undefined || blocks.state === 'live' || blocks.reason === undefined
    },
  })
  const allNetworks = await serveNetworks(isServing ? primaries : [], following)
  const chains = {
    ...allChains,
    ...ownOf(
      allChains,
      ({ facts }) => foreign(facts.key),
      ({ facts }) => facts,
    ),
  }
  const networks = {
    ...allNetworks,
    ...ownOf(
      allNetworks,
      ({ network }) => foreign(primaryStream(network).key),
      ({ network }) => network,
    ),
  }
  const joined = await followStore(messageStore, messageTables, following)
  // What was joined with a foreign chain lies among the rest.
  const messages: FollowedStore = {
    ...joined,
    get: () => (options.foreign().size > 0 ? undefined : joined.get()),
  }
  const aggregators =
    options.aggregators ??
    (await aggregatorsOf(config, {
      world,
      log,
      signal,
      gauges: options.gauges,
      networks: networks.list,
    }))
  return {
    chains,
    networks,
    messages,
    aggregators,
    close: async () => {
      // Aggregators read the stores of the networks.
      for (const part of [aggregators, chains, networks, messages]) await part.close()
    },
  }
}

/** The served part of `all`: nothing from a foreign store, which is waited for instead. */
function ownOf<T, W>(
  all: { readonly list: () => readonly T[]; readonly waiting: () => readonly W[] },
  isOfForeign: (item: T) => boolean,
  asWaiting: (item: T) => W,
): typeof all {
  let seen: readonly T[] = []
  let own: readonly T[] = []
  return {
    list: () => {
      const list = all.list()
      const count = list.filter((item) => !isOfForeign(item)).length
      // A new list only where something changed: callers compare.
      if (list === seen && count === own.length) return own
      seen = list
      own = count === list.length ? list : list.filter((item) => !isOfForeign(item))
      return own
    },
    waiting: () => [...all.waiting(), ...all.list().filter(isOfForeign).map(asWaiting)],
  }
}

const noAggregators: Aggregators = {
  byNetwork: {},
  nodeId: () => undefined,
  close: () => Promise.resolve(),
}

/** Aggregators, whose code is loaded only where a network has validators to call. */
async function aggregatorsOf(config: Config, options: AggregatorsOptions): Promise<Aggregators> {
  const hasNetwork = Object.values(config.networks).some(
    (network) => network !== undefined && (network.nodeUrl !== '' || network.source === 'peers'),
  )
  if (!(config['warp.enabled'] && hasNetwork) && !(await holdsSignatures(config, options.world)))
    return noAggregators
  const { openAggregators } = await import('../warp/aggregators.ts')
  return openAggregators(config, options)
}

/** Returns whether a recorded network has its validators' signatures. */
async function holdsSignatures({ networks }: Config, { files }: World): Promise<boolean> {
  for (const network of Object.values(networks)) {
    if (network === undefined || network.recording === '') continue
    const file = await files.read(network.recording)
    if (file === undefined) continue
    if (listParts(file).some(({ kind }) => kind === primaryPartKinds.signatures)) return true
  }
  return false
}

/** All stores that chains and networks are answered from. */
export function readableStores({ chains, networks }: Served): ReadableStore[] {
  const evm = chains.list().map(({ facts, store }) => ({ key: facts.key, store }))
  const primary = networks.list().map(({ network, store }) => {
    return { key: primaryStream(network).key, store }
  })
  return [...evm, ...primary]
}

/** Stores whose bytes are shown: those that are served, and those of logs. */
export async function measuredStores(served: Served): Promise<ReadableStore[]> {
  const all = readableStores(served)
  for (const { facts, logs } of served.chains.list()) {
    const store = await logs?.()
    if (store !== undefined) all.push({ key: logStoreOf(facts.key), store })
  }
  return all
}

/** Networks being served, growing while stores appear. */
type ServedNetworks = {
  readonly list: () => readonly ServedNetwork[]
  /** Configured networks whose stores do not hold genesis yet. */
  readonly waiting: () => readonly Network[]
  readonly close: () => Promise<void>
}

/** Starts to serve; returns once every store that exists already is open. */
export async function serveNetworks(
  specs: readonly PrimaryStreamSpec[],
  options: FollowOptions,
): Promise<ServedNetworks> {
  const found = new Map<string, ServedNetwork>()
  let list: readonly ServedNetwork[] = []
  const followed = await Promise.all(
    specs.map((spec) =>
      followStore(spec.key, primaryStoreTables, {
        ...options,
        accept: async (database) => {
          const network = await openNetwork(spec.network, database)
          if (network === undefined) return false
          found.set(spec.key, network)
          list = specs.flatMap(({ key }) => found.get(key) ?? [])
          return true
        },
      }),
    ),
  )
  return {
    list: () => list,
    waiting: () => specs.filter(({ key }) => !found.has(key)).map(({ network }) => network),
    close: async () => {
      for (const store of followed) await store.close()
    },
  }
}

/** A store that is there, or will be. */
type FollowedStore = {
  readonly get: () => Database | undefined
  readonly close: () => Promise<void>
}

const retryMs = 200

/** How a store is followed. */
type FollowOptions = {
  readonly store: StoreLocation
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/**
 * Tries once before it returns, then until the store is there or `signal` is aborted. Throws what
 * waiting does not heal; what of it comes later is logged, and the store stays absent.
 */
export async function followStore(
  name: string,
  tables: readonly Table[],
  options: FollowOptions & {
    /** Looks into the store; false when what is needed is not in it yet. */
    readonly accept?: (database: Database) => Promise<boolean>
  },
): Promise<FollowedStore> {
  let database: Database | undefined
  const attempt = async (): Promise<boolean> => {
    let opened: Database | undefined
    try {
      opened = await openStore(options.store, name, tables, 'serve')
      const isReady = (await options.accept?.(opened)) ?? true
      if (isReady) database = opened
      else await opened.close()
      return isReady
    } catch (error) {
      await opened?.close()
      if (faultOf(error)?.retryable !== true) throw error
      return false
    }
  }
  const follow = async (): Promise<void> => {
    while (!options.signal.aborted && !(await attempt()))
      await options.clock.sleep(retryMs, options.signal)
  }
  const first = await attempt()
  const ended = first
    ? Promise.resolve()
    : follow().catch((error: unknown) => {
        if (!options.signal.aborted)
          options.log.error('store is not served', { store: name, error })
      })
  return {
    get: () => database,
    close: async () => {
      await ended
      await database?.close()
    },
  }
}
