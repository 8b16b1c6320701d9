/**
 * Puts a process together from its parts. The only place that knows all of them.
 *
 * Everything below is handed what it needs; nothing here has rules of its own.
 */

import { createPageTokens } from '../api/page-token.ts'
import type { ApiServer } from '../api/server.ts'
import type { Config } from '../config/settings.ts'
import { Fault } from '../core/fault.ts'
import type { World } from '../core/world.ts'
import { startIndexer, type ChainStatus, type Indexer } from '../indexing/indexer.ts'
import type { StoreLocation } from '../store/engine/open.ts'
import { createGauges } from '../telemetry/gauges.ts'
import { createHealth } from '../telemetry/health.ts'
import type { LogRegistry } from '../telemetry/log.ts'
import { createThreads } from '../telemetry/thread.ts'
import { createWaits } from '../telemetry/waits.ts'
import { assembleApi } from './api-parts.ts'
import { chainSpecs, sourceLimits, streamSpecs } from './chain-specs.ts'
import { assembleNodeListener, checkFolder, nodeChains, openAliases } from './node-parts.ts'
import { openServed } from './open-served.ts'
import { readSignatures } from './signatures.ts'
import { tokenKeys } from './token-keys.ts'

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

/** Starts everything `config` asks for. Throws `bad-config` for what cannot be. */
export async function assemble(config: Config, outside: Outside): Promise<Running> {
  const { world, logs } = outside
  const { clock } = world
  const over = new AbortController()
  const gauges = createGauges()
  const waits = createWaits(clock.monotonic, (lock, ms) => {
    gauges.add('firn_lock_waits_total', 1, { lock })
    gauges.add('firn_lock_wait_seconds_total', ms / 1_000, { lock })
  })
  const threads = createThreads({ logs, waits, clock })
  const store: StoreLocation = { store: config.store, dataDir: config.dataDir }
  const chains = chainSpecs(config)
  const streams = streamSpecs(config, chains)
  const tokens = createPageTokens(await tokenKeys(world, config.dataDir), clock)

  const indexer: Indexer | undefined =
    config.role === 'serve'
      ? undefined
      : startIndexer({
          chains: chains.map(({ spec }) => spec),
          streams,
          store,
          limits: sourceLimits(config),
          owner: Buffer.from(world.random.bytes(8)).toString('hex'),
          worldModule: new URL('./world.ts', import.meta.url).href,
          clock,
          threads,
          gauges,
          log: logs.log,
          failed: outside.failed,
        })
  const indexed = (): readonly ChainStatus[] => indexer?.status() ?? []
  const served = await openServed(config, {
    chains,
    streams,
    store,
    world,
    log: logs.log,
    signal: over.signal,
    indexed,
  })
  const nodes = nodeChains({
    served: served.chains.list,
    networks: served.networks.list,
    specified: chains,
    config,
    status: indexed,
  })
  const aliases = await openAliases(config, { world, waits, logs, chains: nodes })
  const signatures = await readSignatures(world, config['evm.selectorsFile'])
  const shared = { world, logs, gauges, aliases }
  const api = assembleApi(config, { ...shared, tokens, served, chains, indexer, signatures })
  const health = createHealth({ clock, log: logs.log })
  health.register('store', () => checkFolder(config.dataDir))
  health.register('chains', () => readiness(indexed()), { kinds: ['readiness', 'health'] })
  const node = assembleNodeListener({
    ...shared,
    config,
    health,
    threads,
    waits,
    nodeId: served.aggregators.nodeId(),
    networkId: served.networks.list()[0]?.networkId,
  })
  await node.listener.listen()
  void health.run(over.signal).catch(outside.failed)
  const address = node.listener.address()
  const apiUrl =
    config.role === 'index' ? '' : await listen(api, config['api.host'], config['api.port'])
  return {
    apiUrl,
    nodeUrl: `http://${address?.host ?? ''}:${address?.port ?? 0}`,
    indexed,
    stop: async () => {
      over.abort()
      await api.close()
      await node.close()
      await indexer?.stop()
      await served.close()
    },
  }
}

async function listen(api: ApiServer, host: string, port: number): Promise<string> {
  try {
    return await api.listen(host, port)
  } catch (error) {
    throw new Fault('bad-config', `api.port is taken or not allowed: ${host}:${port}`, {
      cause: error,
    })
  }
}

function readiness(chains: readonly ChainStatus[]): Readonly<Record<string, number>> {
  const stopped = chains.filter(({ stages }) => stages.some(({ state }) => state === 'stopped'))
  if (stopped.length > 0) {
    throw new Fault('source-mismatch', `stopped: ${stopped.map(({ key }) => key).join(', ')}`)
  }
  return Object.fromEntries(chains.map(({ key, stages }) => [key, stages[0]?.indexedHeight ?? -1]))
}
