/**
 * Puts a process together from its parts. The only place that knows all of them.
 *
 * Everything below is handed what it needs; nothing here has rules of its own.
 */

import { createPageTokens } from '../api/page-token.ts'
import type { ApiServer } from '../api/server.ts'
import { createCallRecorder } from '../api/usage/call-recorder.ts'
import { createUseCounter } from '../api/use-counter.ts'
import type { Config } from '../config/settings.ts'
import { Fault } from '../core/fault.ts'
import type { Clock, World } from '../core/world.ts'
import { startIndexer, type Indexer, type IndexerOptions } from '../indexing/indexer.ts'
import type { ChainStatus } from '../indexing/status-board.ts'
import type { Database } from '../store/engine/database.ts'
import { openSmallStore, type StoreLocation } from '../store/engine/open.ts'
import { watchDamage } from '../store/engine/watch-damage.ts'
import { apiUseStore, apiUseTables } from '../store/schema/api-use.ts'
import { webhookStore } from '../store/schema/events.ts'
import { eventTables } from '../store/schema/stores.ts'
import { createGauges, type Gauges } from '../telemetry/gauges.ts'
import { createHealth, type Health } from '../telemetry/health.ts'
import type { LogRegistry } from '../telemetry/log-registry.ts'
import type { Log } from '../telemetry/log.ts'
import { createThreads } from '../telemetry/thread.ts'
import { createWaits, type Waits } from '../telemetry/waits.ts'
import { assembleApi, type ApiParts } from './api-parts.ts'
import { chainSpecs, sourceLimits, streamSpecs, type SpecifiedChain } from './chain-specs.ts'
import { claimDataFolder } from './data-folder.ts'
import type { Documents } from './documents.ts'
import { withKeptNames } from './kept-names.ts'
import { watchedKeys } from './key-file.ts'
import { openOrLater } from './late-store.ts'
import { LeaseWatch } from './lease-watch.ts'
import { livedStages } from './lived-stages.ts'
import { assembleNodeListener, checkFolder, nodeChains, openAliases } from './node-parts.ts'
import { openDocuments } from './open-documents.ts'
import { measuredStores, openServed, readableStores, type Served } from './open-served.ts'
import { chainsCheck, diskCheck, storesCheck, type ReadinessParts } from './readiness.ts'
import { storesOf } from './store-connections.ts'
import { sizeReader } from './store-sizes.ts'
import { tokenKeys } from './token-keys.ts'
import { openTokenKnowledge } from './token-knowledge.ts'
import { watchL1s } from './watch-l1.ts'

/** A process at work. */
export type Running = {
  readonly apiUrl: string
  readonly nodeUrl: string
  readonly indexed: () => readonly ChainStatus[]
  /** Stops to accept, drains, commits what is under way, closes the stores. */
  readonly stop: () => Promise<void>
}

/** What the process is made of besides its configuration. */
export type Outside = {
  readonly world: World
  readonly logs: LogRegistry
  /** Told when nothing more can be done. */
  readonly failed: (error: unknown) => void
}

/**
 * Starts everything `config` asks for. Throws `bad-config` for what cannot be, `address-taken`,
 * and `lease-lost` while another process writes the data; nothing runs then.
 */
export async function assemble(config: Config, outside: Outside): Promise<Running> {
  const closers: Closer[] = []
  const stop = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()?.()
  }
  try {
    const kept = await withKeptNames(config, outside.world)
    return { ...(await build(kept, outside, closers)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Ends one part; called in the reverse order of starting. */
type Closer = () => unknown

async function build(
  config: Config,
  outside: Outside,
  closers: Closer[],
): Promise<Omit<Running, 'stop'>> {
  const { world, logs } = outside
  const { clock } = world
  const over = new AbortController()
  closers.push(() => over.abort())
  const gauges = createGauges()
  const waits = countedWaits(clock, gauges)
  const threads = createThreads({ logs, waits, clock })
  const { owner, shares, location, store, readings } = await storesOf(config, world)
  closers.push(async () => readings?.close())
  const chains = chainSpecs(config)
  const streams = streamSpecs(config, chains)
  const stores = [...chains.map(({ spec }) => spec), ...streams].map(({ key }) => key)
  closers.push(await claimDataFolder(config, stores, clock))
  const { documents, ...callers } = await openCallers(config, outside, { store, closers })
  const knowledge = await openTokenKnowledge(config, { world, log: logs.log, store })
  closers.push(knowledge.close)
  // Closed after the writer, which reads it: the last one that closes an SQLite store ends its log.
  const webhooks = await openWebhooks(config, store, logs)
  closers.push(webhooks.close)

  const indexing = { chains, streams, store: location, shares, owner, threads, gauges }
  const indexer = indexerOf(config, { ...outside, ...indexing })
  closers.push(async () => indexer?.stop())
  const indexed = (): readonly ChainStatus[] => indexer?.status() ?? []
  const damaged = new Map<string, string>()
  const served = await openServed(config, {
    chains,
    streams,
    store: watched(store, damaged),
    world,
    log: logs.log,
    gauges,
    signal: over.signal,
    indexed,
    currentAt: (key) => indexer?.currentAt(key),
  })
  // What waits for stores to appear ends before it is closed.
  closers.push(served.close, () => over.abort())
  const nodes = nodeChains({
    served: served.chains.list,
    networks: served.networks.list,
    specified: chains,
    config,
    status: indexed,
  })
  const aliases = await openAliases(config, { world, waits, logs, documents, chains: nodes })
  const leases = new LeaseWatch(clock)
  const shared = { world, logs, gauges, aliases, leases }
  const own = { served, chains, indexer, knowledge, webhooks, owner, readings }
  const api = assembleApi(config, { ...shared, ...callers, ...own })
  const health = createHealth({ clock, log: logs.log })
  const lived = livedStages(config.dataDir)
  registerChecks(health, config, { indexer, served, leases, clock, damaged, lived })
  const node = assembleNodeListener({
    ...shared,
    config,
    health,
    threads,
    failed: outside.failed,
    waits,
    sizes: sizeReader(config, () => measuredStores(served), clock),
    nodeId: served.aggregators.nodeId(),
    networkId: () => served.networks.list()[0]?.networkId,
  })
  closers.push(node.close)
  await node.listener.listen()
  void health.run(over.signal).catch(outside.failed)
  watchL1s({ ...shared, config, networks: served.networks.list }, over.signal)
  closers.push(api.close, api.events.close)
  api.events.start(api, outside.failed)
  const apiUrl =
    config.role === 'index' ? '' : await listen(api, config['api.host'], config['api.port'])
  return {
    apiUrl,
    nodeUrl: urlOf(node.listener.address()),
    indexed,
  }
}

function urlOf(address: { readonly host: string; readonly port: number } | undefined): string {
  return `http://${address?.host ?? ''}:${address?.port ?? 0}`
}

/** The store of webhooks, for writing. */
function openWebhooks(
  config: Config,
  store: StoreLocation,
  { log }: LogRegistry,
): Promise<Database> {
  const open = (): Promise<Database> => openSmallStore(store, webhookStore, eventTables)
  const isServing = config.role === 'serve' && config.store !== 'embedded'
  return isServing ? openOrLater(webhookStore, open, log) : open()
}

/** Waits for locks, counted in `gauges`. */
function countedWaits(clock: Clock, gauges: Gauges): Waits {
  return createWaits(clock.monotonic, (lock, ms) => {
    gauges.add('firn_lock_waits_total', 1, { lock })
    gauges.add('firn_lock_wait_seconds_total', ms / 1_000, { lock })
  })
}

/** Stores whose readings note in `damaged` what they find malformed. */
function watched(store: StoreLocation, damaged: Map<string, string>): StoreLocation {
  const note = (name: string, reason: string): void => void damaged.set(name, reason)
  return { ...store, around: watchDamage(note, store.around) }
}

/** What health and readiness look at. */
function registerChecks(
  health: Health,
  config: Config,
  parts: Pick<ReadinessParts, 'leases' | 'clock' | 'damaged' | 'lived'> & {
    readonly indexer: Indexer | undefined
    readonly served: Served
  },
): void {
  const { indexer, served, ...rest } = parts
  const readiness: ReadinessParts = {
    indexed: indexer?.status,
    served: () => readableStores(served),
    engine: config.store === 'embedded' ? 'SQLite' : 'PostgreSQL',
    ...rest,
    maxLagMs: config['node.maxLagSeconds'] * 1_000,
    untilLive: config['node.readyWhenLive'],
  }
  health.register('store', () => checkFolder(config.dataDir))
  health.register('disk', diskCheck(config.dataDir))
  health.register('databases', storesCheck(readiness))
  health.register('chains', chainsCheck(readiness))
}

type IndexerParts = Outside &
  Pick<IndexerOptions, 'streams' | 'store' | 'shares' | 'owner' | 'threads' | 'gauges'> & {
    readonly chains: readonly SpecifiedChain[]
  }

/** What is known of callers: keys, what they used, and what seals their page tokens. */
async function openCallers(
  config: Config,
  { world, logs }: Outside,
  { store, closers }: { readonly store: StoreLocation; readonly closers: Closer[] },
): Promise<
  Pick<ApiParts, 'tokens' | 'keys' | 'uses' | 'calls'> & { readonly documents: Documents }
> {
  const { clock, random } = world
  const documents = await openDocuments(config, { clock, log: logs.log, location: store })
  closers.push(documents.close)
  const uses = createUseCounter({
    clock,
    log: logs.log,
    open: () => openSmallStore(store, apiUseStore, apiUseTables),
  })
  closers.push(uses.close)
  const calls = callsOf(config, { clock, log: logs.log, store })
  closers.push(calls.close)
  return {
    documents,
    uses,
    calls,
    tokens: createPageTokens(await tokenKeys(documents, { random, log: logs.log }), clock),
    keys: watchedKeys(documents, logs.log),
  }
}

/** What is answered to keys; its store is opened with the first of them. */
function callsOf(
  config: Config,
  {
    clock,
    log,
    store,
  }: { readonly clock: Clock; readonly log: Log; readonly store: StoreLocation },
): ApiParts['calls'] {
  let opened: Promise<Database> | undefined
  const open = (): Promise<Database> =>
    (opened ??= openSmallStore(store, apiUseStore, apiUseTables).catch((error: unknown) => {
      opened = undefined
      throw error
    }))
  const calls = createCallRecorder({ clock, log, open, most: config['api.keptCalls'] })
  return {
    ...calls,
    close: async () => {
      await calls.close()
      await (await opened)?.close()
    },
    store: open,
  }
}

/** The indexing threads, unless this process only serves. */
function indexerOf(config: Config, parts: IndexerParts): Indexer | undefined {
  if (config.role === 'serve') return undefined
  const { world, logs, chains, ...rest } = parts
  return startIndexer({
    ...rest,
    chains: chains.map(({ spec }) => spec),
    limits: sourceLimits(config),
    keepEventsMs: config['events.keepDays'] * 86_400_000,
    worldModule: worldModule(),
    clock: world.clock,
    log: logs.log,
  })
}

/** The file a thread makes its world of, in sources as in the published package. */
function worldModule(): string {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`../world/world.${ending}`, import.meta.url).href
}

async function listen(api: ApiServer, host: string, port: number): Promise<string> {
  try {
    return await api.listen(host, port)
  } catch (error) {
    throw new Fault(
      'address-taken',
      `api.port is taken or not allowed: ${host}:${port}; --port chooses another`,
      {
        cause: error,
      },
    )
  }
}
