/**
 * Everything a thread answers the data API with: what is known of callers, the stores it reads, and
 * the operations over them. The main thread has it, and each of `api.workers` besides.
 */

import { type NodeChain } from '../../admin/aliases/alias-rules.ts'
import type { AliasTable } from '../../admin/aliases/alias-table.ts'
import { createPageTokens, type PageTokens } from '../../api/operation/page-token.ts'
import { createCallRecorder } from '../../api/server/admission/call-recorder.ts'
import { createUseCounter, type UseCounter } from '../../api/server/admission/use-counter.ts'
import type { Config } from '../../config/settings.ts'
import type { Clock, World } from '../../core/world.ts'
import type { IndexingStatus } from '../../indexing/run/indexer.ts'
import type { StreamSpec } from '../../indexing/stream/stream-spec.ts'
import type { Database } from '../../store/engine/database.ts'
import { openSmallStore, type StoreLocation } from '../../store/open.ts'
import { apiUseStore, apiUseTables } from '../../store/schema/deployment.ts'
import { webhookStore } from '../../store/schema/events.ts'
import { eventTables } from '../../store/schema/stores.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { Log } from '../../telemetry/log.ts'
import type { SpecifiedChain } from '../chain-specs.ts'
import type { Documents } from '../documents/documents.ts'
import { watchedKeys } from '../documents/key-file.ts'
import { openDocuments } from '../documents/open-documents.ts'
import { tokenKeys } from '../documents/token-keys.ts'
import { openServed, type Served } from '../served/open-served.ts'
import { LeaseWatch } from '../status/lease-watch.ts'
import { openCallersStore } from '../stores/late-store.ts'
import type { ProcessStores } from '../stores/store-connections.ts'
import { openTokenKnowledge, type TokenKnowledge } from '../tokens/token-knowledge.ts'
import type { Aggregators } from '../warp/aggregators.ts'
import { readBrand } from '../web/read-brand.ts'
import type { ApiServices } from './api-context.ts'
import { type Api, assembleApi } from './assemble-api.ts'
import { nodeChains } from './node-chains.ts'
import { watchDamage } from './watch-damage.ts'

/** Ends one part; called in the reverse order of starting. */
export type Closer = () => unknown

/**
 * Stores that callers write and indexing reads. They open before indexing starts, so that an
 * unusable database is refused before stores are made in it, and close after indexing: the last to
 * close an SQLite store must be able to write, to end its log.
 */
export type WrittenStores = {
  readonly documents: Documents
  readonly webhooks: Database
  readonly knowledge: TokenKnowledge
}

/** A data API that does not listen yet, and what the main thread needs besides. */
export type Answering = {
  readonly api: Api
  readonly served: Served
  readonly aliases: AliasTable
  readonly leases: LeaseWatch
  /** Stores that a reading found malformed, with the reason. */
  readonly damaged: ReadonlyMap<string, string>
}

type AnsweringServices = {
  readonly world: World
  readonly log: Log
  readonly gauges: Gauges
  readonly chains: readonly SpecifiedChain[]
  readonly streams: readonly StreamSpec[]
  readonly stores: ProcessStores
  readonly written: WrittenStores
  /** Absent where this process does not index. */
  readonly indexer: IndexingStatus | undefined
  /** The parts of the main thread; without them this thread opens its own. */
  readonly aggregators?: Aggregators
  readonly openAliases: (
    chains: () => readonly NodeChain[],
    documents: Documents,
  ) => Promise<AliasTable>
  /** Number of this thread among those that answer; 1 is the main thread. */
  readonly thread: number
  readonly closers: Closer[]
  readonly signal: AbortSignal
}

const noKeys: ReadonlySet<string> = new Set()

/** Opens it all; what ends it is added to `closers`. Throws `bad-config`, and faults of stores. */
export async function openAnswering(
  config: Config,
  services: AnsweringServices,
): Promise<Answering> {
  const { world, log, gauges, chains, streams, stores, indexer, closers, signal } = services
  const { store, owner, readings } = stores
  const { documents, ...written } = services.written
  const callers = await openCallers(config, { world, log, store, closers }, documents)
  const damaged = new Map<string, string>()
  // Stores whose readings note in `damaged` what they find malformed.
  const note = (name: string, reason: string): void => void damaged.set(name, reason)
  const served = await openServed(config, {
    chains,
    streams,
    store: { ...store, around: watchDamage(note, store.around) },
    world,
    log,
    gauges,
    signal,
    indexed: () => indexer?.status() ?? [],
    foreign: () => indexer?.foreign() ?? noKeys,
    aggregators: services.aggregators,
  })
  closers.push(served.close)
  const nodes = nodeChains({
    served: served.chains.list,
    networks: served.networks.list,
    specified: chains,
    config,
    status: () => indexer?.status() ?? [],
  })
  const aliases = await services.openAliases(nodes, documents)
  const leases = new LeaseWatch(world.clock)
  const brand = await readBrand(config, world)
  const own = {
    brand,
    served,
    chains,
    indexer,
    ...written,
    owner,
    thread: services.thread,
    readings,
  }
  const api = assembleApi(config, { world, log, gauges, aliases, leases, ...callers, ...own })
  return { api, served, aliases, leases, damaged }
}

/** Opens what callers write; what closes it is added to `closers`. */
export async function openWritten(
  config: Config,
  { world, log, store, closers }: CallerServices,
): Promise<WrittenStores> {
  const documents = await openDocuments(config, { clock: world.clock, log, location: store })
  closers.push(documents.close)
  const knowledge = await openTokenKnowledge(config, { world, log, store })
  closers.push(knowledge.close)
  const { role } = config
  const webhooks = await openCallersStore({
    name: webhookStore,
    tables: eventTables,
    store,
    role,
    log,
  })
  closers.push(webhooks.close)
  return { documents, webhooks, knowledge }
}

type CallerServices = {
  readonly world: World
  readonly log: Log
  readonly store: StoreLocation
  readonly closers: Closer[]
}

/** Callers' keys, their usage, and the keys that seal their page tokens. */
async function openCallers(
  config: Config,
  { world, log, store, closers }: CallerServices,
  documents: Documents,
): Promise<{
  readonly uses: UseCounter
  readonly calls: ApiServices['calls']
  readonly tokens: PageTokens
  readonly keys: ApiServices['keys']
}> {
  const { clock, random } = world
  const uses = createUseCounter({
    clock,
    log,
    open: () => openSmallStore(store, apiUseStore, apiUseTables),
  })
  closers.push(uses.close)
  const calls = callsOf(config, clock, log, store)
  closers.push(calls.close)
  return {
    uses,
    calls,
    tokens: createPageTokens(await tokenKeys(documents, { random, log }), clock),
    keys: watchedKeys(documents, log),
  }
}

/** Answers counted by key; the store is opened with the first of them. */
function callsOf(
  config: Config,
  clock: Clock,
  log: Log,
  store: StoreLocation,
): ApiServices['calls'] {
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
