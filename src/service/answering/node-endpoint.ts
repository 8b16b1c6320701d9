/** The node listener of this process, put together. */

import { readdirSync } from 'node:fs'

import type { NodeChain } from '../../admin/aliases/alias-rules.ts'
import {
  aliasesIn,
  aliasFile,
  aliasText,
  noAliasStore,
  type AliasStore,
  type AliasTable,
  createAliasTable,
} from '../../admin/aliases/alias-table.ts'
import type { NodeIdentity } from '../../admin/info-service.ts'
import type { NodeListener } from '../../admin/listener/node-listener.ts'
import { createNodeListener, nodeBases, type NodeSettings } from '../../admin/node-api.ts'
import type { OperatorChain } from '../../admin/operator-page.ts'
import { Plugins } from '../../admin/plugins/plugins.ts'
import { allowedMethods } from '../../admin/rpc/rpc-methods.ts'
import { createRpcProxy } from '../../admin/rpc/rpc-proxy.ts'
import { blockchainIdText, type ServedChain } from '../../api/operation/chain-directory.ts'
import type { ServedNetwork } from '../../api/primary/network/networks.ts'
import type { ChainConfig } from '../../config/chain-settings.ts'
import type { Config } from '../../config/settings.ts'
import { parseId, toCb58 } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import type { ChainStatus } from '../../indexing/run/status-board.ts'
import type { Status } from '../../shape/status.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { Health } from '../../telemetry/health.ts'
import { type LastHour, sampleLastHour } from '../../telemetry/last-hour.ts'
import type { Log } from '../../telemetry/log.ts'
import type { LogRegistry } from '../../telemetry/logs/log-registry.ts'
import { watchProcess } from '../../telemetry/process-gauges.ts'
import { profileFolder, createProfiler } from '../../telemetry/profile/profiler.ts'
import type { Threads } from '../../telemetry/threads/thread.ts'
import type { Waits } from '../../telemetry/threads/waits.ts'
import { pluginChains, primaryStream, type SpecifiedChain } from '../chain-specs.ts'
import type { Documents } from '../documents/documents.ts'
import { version } from '../version.ts'

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
      return { id, name: networkNameOf(id) }
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

/** The alias table, kept with the documents of the deployment unless that is switched off. */
export function openAliases(
  config: Config,
  options: {
    readonly world: World
    readonly waits: Waits
    readonly logs: LogRegistry
    readonly chains: () => readonly NodeChain[]
    readonly documents: Documents
  },
): Promise<AliasTable> {
  return createAliasTable({
    chains: options.chains,
    bases: nodeBases,
    waits: options.waits,
    log: options.logs.log,
    store: aliasStore(config, options),
  })
}

function aliasStore(
  config: Config,
  {
    world,
    logs,
    documents,
  }: { readonly world: World; readonly logs: LogRegistry; readonly documents: Documents },
): AliasStore {
  if (!config['node.persistAliases']) return noAliasStore
  return config.store === 'embedded'
    ? aliasFile(`${config.dataDir}/aliases.json`, world.files)
    : sharedAliases(documents, logs.log)
}

/** Where the node listener's chains come from. */
type NodeChainsOptions = {
  readonly served: () => readonly ServedChain[]
  readonly networks: () => readonly ServedNetwork[]
  readonly specified: readonly SpecifiedChain[]
  readonly config: Config
  readonly status: () => readonly ChainStatus[]
}

/** Chains as the node listener names them; a new list whenever one came. */
export function nodeChains(options: NodeChainsOptions): () => readonly NodeChain[] {
  let seen: readonly unknown[] = []
  let chains: readonly NodeChain[] = []
  return () => {
    const now = [options.served(), options.networks()]
    if (seen[0] === now[0] && seen[1] === now[1]) return chains
    seen = now
    const primary = options.networks().flatMap((network) => primaryChains(network, options))
    const decoded = pluginChains(options.config).map(pluginChain)
    chains = [...primary, ...options.served().map((chain) => evmChain(chain, options)), ...decoded]
    return chains
  }
}

function evmChain({ facts }: ServedChain, options: NodeChainsOptions): NodeChain {
  const stage = stageReader(options, facts.key, 'blocks')
  const id = blockchainIdText(facts) ?? String(facts.evmChainId)
  const isCChain =
    facts.evmChainId === 43_114 ||
    facts.evmChainId === 43_113 ||
    options.networks().some(({ blockchainIds }) => blockchainIds.C === id)
  return {
    id,
    network: facts.network,
    names: isCChain ? ['C', 'evm'] : [],
    otherNames: [...(isCChain ? ['c-chain'] : []), String(facts.evmChainId)],
    kind: 'evm',
    rpcUrls: options.specified.find(({ spec }) => spec.key === facts.key)?.spec.rpcUrls ?? [],
    isLive: () => stage()?.state === 'live',
    vmId: facts.vmId,
  }
}

/** Its node's RPC at the base, a plugin's decoder beside it. */
function pluginChain(chain: ChainConfig): NodeChain {
  return {
    id: toCb58(parseId(chain.blockchainId)),
    network: chain.network,
    names: [],
    otherNames: [],
    kind: 'plain',
    vmId: chain.vmId,
    rpcUrls: chain.rpcUrls,
    isLive: () => true,
  }
}

const primaryNames = { P: ['P', 'platform', 'p-chain'], X: ['X', 'avm', 'x-chain'] } as const

function primaryChains(
  { network, blockchainIds }: ServedNetwork,
  options: NodeChainsOptions,
): NodeChain[] {
  const nodeUrl = options.config.networks[network]?.nodeUrl ?? ''
  return (['P', 'X'] as const).map((chain) => {
    const stage = stageReader(options, primaryStream(network).key, chain)
    const [name, vm, other] = primaryNames[chain]
    return {
      id: blockchainIds[chain],
      network,
      names: [name, vm],
      otherNames: [other],
      kind: 'plain',
      rpcUrls: nodeUrl === '' ? [] : [`${nodeUrl}/ext/bc/${chain}`],
      isLive: () => stage()?.state === 'live',
    }
  })
}

function stageReader(
  options: NodeChainsOptions,
  key: string,
  name: string,
): () => ChainStatus['stages'][number] | undefined {
  return () =>
    options
      .status()
      .find((chain) => chain.key === key)
      ?.stages.find(({ stage }) => stage === name)
}

/** Source: avalanchego utils/constants/network_ids.go. */
function networkNameOf(networkId: number): string {
  const names: Readonly<Record<number, string>> = { 1: 'mainnet', 5: 'fuji', 12345: 'local' }
  return names[networkId] ?? `network-${networkId}`
}

/** Returns whether a folder can be listed, so that stores can be read there. */
export function checkFolder(path: string): { readonly files: number } {
  return { files: readdirSync(path).length }
}

const name = 'aliases.json'

/** The aliases that every process of the deployment knows. Throws `bad-config` for a damaged one. */
export function sharedAliases(documents: Documents, log: Log): AliasStore {
  const latest = documents.watch({
    name,
    parse: (bytes) => aliasesIn(bytes, documents.place(name)),
    damaged: (error) => log.error('aliases not read again, those of before hold', { error }),
  })
  return {
    load: async () => latest(),
    save: async (aliases) => {
      const before = aliasText(latest())
      await documents.change(name, (bytes) => {
        if (aliasText(aliasesIn(bytes, documents.place(name))) !== before)
          throw new Fault('store-failed', 'another process changed the aliases; try again')
        return aliasText(aliases)
      })
    },
    shared: { latest, refresh: documents.refresh },
  }
}
