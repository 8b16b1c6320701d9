/** The node listener of this process, put together. */

import type { AliasTable } from '../../admin/aliases/alias-table.ts'
import type { NodeIdentity } from '../../admin/info-service.ts'
import type { NodeListener } from '../../admin/listener/node-listener.ts'
import { createNodeListener, type NodeSettings } from '../../admin/node-api.ts'
import type { OperatorChain } from '../../admin/operator-page.ts'
import { Plugins } from '../../admin/plugins/plugins.ts'
import { allowedMethods } from '../../admin/rpc/rpc-methods.ts'
import { createRpcProxy } from '../../admin/rpc/rpc-proxy.ts'
import type { Config } from '../../config/settings.ts'
import { version } from '../../core/version.ts'
import type { World } from '../../core/world.ts'
import type { ChainStatus } from '../../indexing/run/status-board.ts'
import type { Status } from '../../shape/status.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { Health } from '../../telemetry/health.ts'
import { type LastHour, sampleLastHour } from '../../telemetry/last-hour.ts'
import type { LogRegistry } from '../../telemetry/logs/log-registry.ts'
import { watchProcess } from '../../telemetry/process-gauges.ts'
import { profileFolder, createProfiler } from '../../telemetry/profile/profiler.ts'
import type { Threads } from '../../telemetry/threads/thread.ts'
import type { Waits } from '../../telemetry/threads/waits.ts'

type NodeEndpointOptions = {
  readonly config: Config
  readonly world: World
  readonly logs: LogRegistry
  readonly gauges: Gauges
  readonly health: Health
  readonly threads: Threads
  /** Called when the listener ended by itself. */
  readonly failed: (error: unknown) => void
  readonly waits: Waits
  readonly aliases: AliasTable
  readonly nodeId: string | undefined
  /** Bytes of each store. */
  readonly sizes: () => ReadonlyMap<string, number>
  /** Of the network being served, once one is. */
  readonly networkId: () => number | undefined
  readonly status: () => Promise<Status>
  /** Chains with their nodes, where this process indexes. */
  readonly indexed: () => readonly ChainStatus[]
}

/** Makes the listener and what closes the parts it made. */
export function assembleNodeListener(options: NodeEndpointOptions): {
  readonly listener: NodeListener
  readonly close: () => Promise<void>
} {
  const { config, world, logs, gauges, health, threads, waits, aliases } = options
  const log = logs.log.child('http')
  const watch = watchProcess(gauges)
  gauges.onRead(() => {
    for (const [database, bytes] of options.sizes())
      gauges.set('firn_store_size_bytes', bytes, { database })
  })
  const profiler = profilerOf(options, watch)
  const over = new AbortController()
  const lastHour = lastHourOf(options, over.signal)
  const plugins = new Plugins({
    directory: config['node.pluginDir'] || `${config.dataDir}/plugins`,
    version: `firn/${version}`,
    clock: world.clock,
    log: logs.log,
    waits,
  })
  const proxy = createRpcProxy({
    transport: world.transport,
    waits,
    log,
    timeoutMs: config['source.timeoutMs'],
    maxReplyBytes: config['source.maxReplyBytes'],
    allowed: allowedMethods(config['node.rpcMethods']),
  })
  const listener = createNodeListener({
    settings: listenerSettings(config),
    identity: identityOf(options),
    logs,
    log,
    gauges,
    health,
    aliases,
    plugins,
    profiler,
    proxy,
    world,
    threads,
    failed: options.failed,
    chains: () => operatorChains(options),
    lastHour,
  })
  return {
    listener,
    close: async () => {
      over.abort()
      await listener.close()
      await plugins.close()
      await profiler.close()
      watch.stop()
    },
  }
}

function identityOf({ config, networkId, nodeId }: NodeEndpointOptions): NodeIdentity {
  return {
    network: () => {
      const id = networkId() ?? (config.networks.mainnet === undefined ? 5 : 1)
      // Source: avalanchego utils/constants/network_ids.go.
      const names: Readonly<Record<number, string>> = { 1: 'mainnet', 5: 'fuji', 12345: 'local' }
      return { id, name: names[id] ?? `network-${id}` }
    },
    version: `firn/${version}`,
    nodeId,
  }
}

/** Chains with what `/status` says of them, and the nodes they are read from. */
async function operatorChains({ status, indexed }: NodeEndpointOptions): Promise<OperatorChain[]> {
  const endpoints = new Map(indexed().map((chain) => [chain.key, chain.endpoints]))
  return (await status()).chains.map((chain) => ({
    ...chain,
    reason: chain.reason,
    etaSeconds: chain.overall?.etaSeconds,
    nodes: (endpoints.get(chain.chain) ?? []).map((node) => ({ ...node, problem: node.problem })),
  }))
}

/** Samples figures of the last hour until `signal` is aborted. */
function lastHourOf(options: NodeEndpointOptions, signal: AbortSignal): LastHour {
  const { clock } = options.world
  const lastHour = new Map<string, readonly number[]>()
  void sampleLastHour(lastHour, () => sampleOf(options), { clock, signal }).catch(
    (error: unknown) => options.logs.log.warn('figures of the last hour end', { error }),
  )
  return lastHour
}

/** Figures of now, by the names that the operator's page shows; those of bytes end in `bytes`. */
async function sampleOf(options: NodeEndpointOptions): Promise<ReadonlyMap<string, number>> {
  let stored = 0
  for (const bytes of options.sizes().values()) stored += bytes
  const sample = new Map([
    ['Memory bytes', process.memoryUsage.rss()],
    ['Stores bytes', stored],
  ])
  for (const { name, indexedHeight, headHeight } of (await options.status()).chains)
    if (headHeight >= 0)
      sample.set(`${name}, blocks behind`, Math.max(0, headHeight - indexedHeight))
  return sample
}

function profilerOf(
  { config, world, logs, threads, waits }: NodeEndpointOptions,
  watch: ReturnType<typeof watchProcess>,
): ReturnType<typeof createProfiler> {
  return createProfiler({
    threads,
    waits,
    clock: world.clock,
    log: logs.log,
    write: profileFolder(config['node.profileDir'] || `${config.dataDir}/profiles`),
    outside: () => ({ memory: watch.memory(), notes: watch.notes() }),
  })
}

function listenerSettings(config: Config): NodeSettings {
  const hosts: unknown = config['node.allowedHosts']
  return {
    host: config['node.host'],
    port: config['node.port'],
    apiAdminEnabled: config['node.apiAdminEnabled'],
    adminAllowRemote: config['node.adminAllowRemote'],
    adminCompat: config['node.adminCompat'],
    allowedHosts: Array.isArray(hosts) ? hosts.map(String) : String(hosts).split(','),
  }
}
