/** The node listener of this process, put together. */

import { readdirSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'

import type { Aliases, NodeChain } from '../admin/alias-rules.ts'
import { createAliasTable, type AliasTable } from '../admin/alias-table.ts'
import { createNodeListener, nodeBases } from '../admin/node-api.ts'
import type { NodeListener } from '../admin/node-listener.ts'
import { createPluginRegistry } from '../admin/plugin-registry.ts'
import { createRpcProxy } from '../admin/rpc-proxy.ts'
import { blockchainIdText, type ServedChain } from '../api/chain-directory.ts'
import type { Config } from '../config/settings.ts'
import type { World } from '../core/world.ts'
import type { ChainStatus } from '../indexing/indexer.ts'
import type { Gauges } from '../telemetry/gauges.ts'
import type { Health } from '../telemetry/health.ts'
import type { LogRegistry } from '../telemetry/log.ts'
import { watchProcess } from '../telemetry/process-gauges.ts'
import { createProfiler } from '../telemetry/profile/profiler.ts'
import type { Threads } from '../telemetry/thread.ts'
import type { Waits } from '../telemetry/waits.ts'
import type { SpecifiedChain } from './chain-specs.ts'
import { version } from './version.ts'

/** What the listener needs of the process. */
export type NodeListenerParts = {
  readonly config: Config
  readonly world: World
  readonly logs: LogRegistry
  readonly gauges: Gauges
  readonly health: Health
  readonly threads: Threads
  readonly waits: Waits
  readonly aliases: AliasTable
  readonly nodeId: string | undefined
}

/** Makes the listener and what closes the parts it made. */
export function assembleNodeListener(parts: NodeListenerParts): {
  readonly listener: NodeListener
  readonly close: () => Promise<void>
} {
  const { config, world, logs, gauges, health, threads, waits, aliases } = parts
  const log = logs.log.child('http')
  const watch = watchProcess(gauges)
  const profileDir = config['node.profileDir'] || `${config.dataDir}/profiles`
  const profiler = createProfiler({
    threads,
    waits,
    clock: world.clock,
    log: logs.log,
    write: async (name, bytes) => {
      await mkdir(profileDir, { recursive: true, mode: 0o750 })
      await writeFile(`${profileDir}/${name}`, bytes, { mode: 0o640 })
      await chmod(`${profileDir}/${name}`, 0o640)
    },
    outside: () => ({ memory: watch.memory(), remarks: watch.remarks() }),
  })
  const plugins = createPluginRegistry({
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
  })
  const hosts: unknown = config['node.allowedHosts']
  const isMainnet = config.networks.mainnet !== undefined
  const listener = createNodeListener({
    settings: {
      host: config['node.host'],
      port: config['node.port'],
      apiAdminEnabled: config['node.apiAdminEnabled'],
      adminAllowRemote: config['node.adminAllowRemote'],
      adminCompat: config['node.adminCompat'],
      allowedHosts: Array.isArray(hosts) ? hosts.map(String) : String(hosts).split(','),
    },
    identity: {
      networkId: isMainnet ? 1 : 5,
      networkName: isMainnet ? 'mainnet' : 'fuji',
      version: `firn/${version}`,
      ...(parts.nodeId === undefined ? {} : { nodeId: parts.nodeId }),
    },
    logs,
    log,
    gauges,
    health,
    aliases,
    plugins,
    profiler,
    proxy,
    world,
  })
  return {
    listener,
    close: async () => {
      await listener.close()
      await plugins.close()
      await profiler.close()
      watch.stop()
    },
  }
}

/** The alias table, kept in `aliases.json` of the data folder unless told not to. */
export function openAliases(
  config: Config,
  parts: {
    readonly world: World
    readonly waits: Waits
    readonly logs: LogRegistry
    readonly chains: () => readonly NodeChain[]
  },
): Promise<AliasTable> {
  const path = `${config.dataDir}/aliases.json`
  const keeps = config['node.persistAliases']
  const none: Aliases = { chains: [], routes: [] }
  return createAliasTable({
    chains: parts.chains,
    bases: nodeBases,
    waits: parts.waits,
    log: parts.logs.log,
    store: {
      load: async () => {
        const bytes = keeps ? await parts.world.files.read(path) : undefined
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written below; entries are checked on loading
        return bytes === undefined ? none : (JSON.parse(Buffer.from(bytes).toString()) as Aliases)
      },
      save: async (aliases) => {
        if (keeps) await parts.world.files.write(path, Buffer.from(JSON.stringify(aliases)))
      },
    },
  })
}

/** Chains as the node listener names them; a new list whenever one came. */
export function nodeChains(
  served: () => readonly ServedChain[],
  specified: readonly SpecifiedChain[],
  status: () => readonly ChainStatus[],
): () => readonly NodeChain[] {
  let seen: readonly ServedChain[] | undefined
  let chains: readonly NodeChain[] = []
  return () => {
    if (seen === served()) return chains
    seen = served()
    chains = seen.map(({ facts }) => {
      const stageOf = (): ChainStatus['stages'][number] | undefined =>
        status().find(({ key }) => key === facts.key)?.stages[0]
      const isCChain = facts.evmChainId === 43_114 || facts.evmChainId === 43_113
      return {
        id: blockchainIdText(facts) ?? String(facts.evmChainId),
        network: facts.network,
        names: isCChain ? ['C', 'evm'] : [],
        otherNames: [String(facts.evmChainId)],
        kind: 'evm' as const,
        rpcUrls: specified.find(({ spec }) => spec.key === facts.key)?.spec.rpcUrls ?? [],
        acceptedHeight: () => stageOf()?.headHeight,
        isLive: () => stageOf()?.state === 'live',
        ...(facts.vmId === undefined ? {} : { vmId: facts.vmId }),
      }
    })
    return chains
  }
}

/** Whether a folder can be listed: the store's place is there and ours. */
export function checkFolder(path: string): { readonly files: number } {
  return { files: readdirSync(path).length }
}
