/**
 * Puts a process together from its parts. The only place that knows all of them.
 *
 * Everything below is handed what it needs; nothing here has rules of its own.
 */

import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'

import type { ApiServer } from '../api/server/server.ts'
import type { Config } from '../config/settings.ts'
import { Fault } from '../core/fault.ts'
import { entryFile } from '../core/installation.ts'
import type { Clock, World } from '../core/world.ts'
import { createIndexer, type Indexer, type IndexerOptions } from '../indexing/run/indexer.ts'
import type { ChainStatus, ThreadReport } from '../indexing/run/status-board.ts'
import { createGauges, type Gauges, joinedGauges } from '../telemetry/gauges.ts'
import { createHealth, type Health } from '../telemetry/health.ts'
import type { LogRegistry } from '../telemetry/logs/log-registry.ts'
import { createThreads } from '../telemetry/threads/thread.ts'
import { createWaits, type Waits } from '../telemetry/threads/waits.ts'
import { openAliases } from './answering/aliases.ts'
import { type Closer, openAnswering, openWritten } from './answering/answering.ts'
import { type ApiWorkers, startApiWorkers } from './answering/api-workers.ts'
import { assembleNodeListener } from './answering/node-endpoint.ts'
import { chainSpecs, sourceLimits, streamSpecs } from './chain-specs.ts'
import { recordedTimeOf } from './recorded-time.ts'
import { measuredStores, readableStores } from './served/open-served.ts'
import { livedStages } from './status/lived-stages.ts'
import { chainsCheck, diskCheck, type ReadinessOptions, storesCheck } from './status/readiness.ts'
import { showBucket } from './stores/bucket-settings.ts'
import { claimDataFolder, sizeReader } from './stores/data-folder.ts'
import { openFilesLimit, withinOpenFiles } from './stores/open-files.ts'
import { keepShowingLife } from './stores/sign-of-life.ts'
import { storesOf } from './stores/store-connections.ts'
import { watchNetworks } from './warp/watch-networks.ts'

/** A process at work. */
export type Running = {
  readonly apiUrl: string
  readonly nodeUrl: string
  readonly indexed: () => readonly ChainStatus[]
  /** Stops to accept, drains, commits what is under way, closes the stores. */
  readonly stop: () => Promise<void>
}

/** The process around its configuration. */
export type Outside = {
  readonly world: World
  readonly logs: LogRegistry
  /** Called when the process cannot go on. */
  readonly failed: (error: unknown) => void
}

/**
 * Starts everything `config` names. Throws `bad-config` for what cannot be, `address-taken`,
 * and `lease-lost` while another process writes the data; nothing runs then.
 */
export async function assemble(config: Config, outside: Outside): Promise<Running> {
  const closers: Closer[] = []
  const stop = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()?.()
  }
  try {
    const recordedTime = await recordedTimeOf(config, outside.world)
    const bounded = withinOpenFiles({ ...config, recordedTime }, openFilesLimit(), outside.logs.log)
    return { ...(await build(bounded, outside, closers)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

// The order in which a process comes up, and so in which it ends, is read on one page.
// oxlint-disable-next-line max-lines-per-function -- see above
async function build(
  config: Config,
  outside: Outside,
  closers: Closer[],
): Promise<Omit<Running, 'stop'>> {
  const { world, logs, failed } = outside
  const { log } = logs
  const { clock } = world
  const over = new AbortController()
  closers.push(() => over.abort())
  // Threads that answer besides are the last to start, and heard of by what starts first.
  const beside: { workers?: ApiWorkers } = {}
  const figures = async (): Promise<readonly string[]> => (await beside.workers?.figures()) ?? []
  const gauges = joinedGauges(createGauges(), figures)
  const waits = countedWaits(clock, gauges)
  const threads = createThreads({ logs, waits, clock })
  const stores = await storesOf(config, world)
  const { owner, shares, location, bucket, store, readings } = stores
  if (bucket !== undefined) showBucket(gauges, bucket)
  closers.push(async () => readings?.close())
  const chains = chainSpecs(config)
  const streams = streamSpecs(config, chains)
  const keys = [...chains.map(({ spec }) => spec), ...streams].map(({ key }) => key)
  closers.push(await claimDataFolder(config, keys, clock))
  const written = await openWritten(config, { world, log, store, closers })

  const reported = (report: ThreadReport): void => beside.workers?.take(report)
  const indexing: IndexerOptions = {
    chains: chains.map(({ spec }) => spec),
    streams,
    store: location,
    bucket,
    shares,
    limits: sourceLimits(config),
    owner,
    keepEventsMs: config['events.keepDays'] * 86_400_000,
    worldModule: entryFile('world/world').href,
    clock,
    threads,
    gauges,
    log,
    reported,
    failed,
  }
  const indexer = config.role === 'serve' ? undefined : createIndexer(indexing)
  closers.push(async () => indexer?.stop())
  const indexed = (): readonly ChainStatus[] => indexer?.status() ?? []
  const own = { world, log, gauges, stores, written, indexer, closers, signal: over.signal }
  const answering = await openAnswering(config, {
    ...own,
    thread: 1,
    chains,
    streams,
    openAliases: (nodes, documents) =>
      openAliases(config, { world, waits, logs, documents, chains: nodes }),
  })
  // Waits for stores to appear end before the stores are closed.
  closers.push(() => over.abort())
  const { api, served, aliases, leases, damaged } = answering
  const health = createHealth({ clock, log })
  registerChecks(health, config, {
    indexed: indexer?.status,
    served: () => readableStores(served),
    stores: () => measuredStores(served),
    engine: config.store === 'embedded' ? 'SQLite' : 'PostgreSQL',
    leases,
    clock,
    damaged,
    lived: livedStages(config.dataDir),
    maxLagMs: config['node.maxLagSeconds'] * 1_000,
    untilLive: config['node.readyWhenLive'],
  })
  const shared = { world, logs, gauges, aliases, leases }
  const node = assembleNodeListener({
    ...shared,
    config,
    health,
    threads,
    failed,
    waits,
    sizes: sizeReader(config, () => measuredStores(served), clock),
    nodeId: served.aggregators.nodeId(),
    networkId: () => served.networks.list()[0]?.networkId,
    status: api.status,
    indexed,
  })
  closers.push(node.close)
  await node.listener.listen()
  void health.run(over.signal).catch(failed)
  if (indexer !== undefined && config.store !== 'embedded') {
    const living = { location: store, owner, clock, threads, signal: over.signal }
    void keepShowingLife(living).catch(failed)
  }
  watchNetworks({ ...shared, config, networks: served.networks.list }, over.signal)
  closers.push(api.close, api.events.close)
  api.events.start(api)
  api.events.deliver(failed)
  const nodeUrl = urlOf(node.listener.address())
  if (config.role === 'index') {
    indexer?.start()
    return { apiUrl: '', nodeUrl, indexed }
  }
  const address = await listen(api, config)
  // Loading the code of these threads takes as long as all that came before.
  indexer?.start()
  const { aggregators } = served
  const known = { config, threads, owner, clock, log, aggregators, aliases, failed }
  beside.workers = startApiWorkers(address, {
    ...known,
    worldModule: entryFile('world/world').href,
    share: shares.main,
    reports: reportsOf(indexer),
  })
  closers.push(beside.workers.close)
  await beside.workers.ready
  return { apiUrl: address.url, nodeUrl, indexed }
}

/** Hands over all that was reported of every chain up to now. */
function reportsOf(indexer: Indexer | undefined): (() => readonly ThreadReport[]) | undefined {
  if (indexer === undefined) return undefined
  return () => indexer.status().map(({ key, stages, endpoints }) => ({ key, stages, endpoints }))
}

function urlOf(address: { readonly host: string; readonly port: number } | undefined): string {
  return `http://${address?.host ?? ''}:${address?.port ?? 0}`
}

/** Waits for locks, counted in `gauges`. */
function countedWaits(clock: Clock, gauges: Gauges): Waits {
  return createWaits(clock.monotonic, (lock, ms) => {
    gauges.add('firn_lock_waits_total', 1, { lock })
    gauges.add('firn_lock_wait_seconds_total', ms / 1_000, { lock })
  })
}

/** Registers the checks of health and readiness. */
function registerChecks(health: Health, config: Config, readiness: ReadinessOptions): void {
  health.register('store', () => ({ files: readdirSync(config.dataDir).length }))
  health.register('disk', diskCheck(config.dataDir))
  health.register('databases', storesCheck(readiness))
  health.register('chains', chainsCheck(readiness))
}

/** Where it listens. Other threads join there; another process is refused. Throws `address-taken`. */
async function listen(
  api: ApiServer,
  config: Config,
): Promise<{ readonly url: string; readonly host: string; readonly port: number }> {
  const [host, port] = [config['api.host'], config['api.port']]
  const isShared = config['api.workers'] > 1
  try {
    // A shared port would let another Firn in unseen: first it must be free for us alone.
    if (isShared && port !== 0) await checkFree(host, port)
    const url = await api.listen(host, port, isShared)
    return { url, host, port: Number(new URL(url).port) }
  } catch (error) {
    if (isShared && error instanceof Error && 'code' in error && error.code === 'ENOTSUP')
      throw new Fault('bad-config', 'api.workers above 1 needs Linux, whose threads share a port', {
        cause: error,
      })
    throw new Fault(
      'address-taken',
      `api.port is taken or not allowed: ${host}:${port}; --port chooses another`,
      { cause: error },
    )
  }
}

/** Throws what listening there alone throws. */
async function checkFree(host: string, port: number): Promise<void> {
  const probe = createServer()
  const listened = once(probe, 'listening')
  probe.listen({ host, port, exclusive: true })
  await listened
  probe.close()
  await once(probe, 'close')
}
