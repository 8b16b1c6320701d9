/** The node listener put together from the parts of a process. */

import { Fault, faultIn } from '../core/fault.ts'
import { isObject, jsonOf } from '../core/json.ts'
import { isLoopback } from '../core/web-request.ts'
import type { World } from '../core/world.ts'
import type { ListenerLimits } from '../http/connection-limits.ts'
import type { Gauges } from '../telemetry/gauges.ts'
import type { Health } from '../telemetry/health.ts'
import type { Log } from '../telemetry/log.ts'
import type { LogRegistry } from '../telemetry/logs/log-registry.ts'
import type { Profiler } from '../telemetry/profile/profiler.ts'
import type { Threads } from '../telemetry/threads/thread.ts'
import { adminMethods, firnMethods } from './admin-service.ts'
import type { NodeChain } from './aliases/alias-rules.ts'
import type { AliasTable } from './aliases/alias-table.ts'
import { healthRoutes } from './health-route.ts'
import { infoMethods, type NodeIdentity } from './info-service.ts'
import { createNodeServer, type NodeListener } from './listener/node-listener.ts'
import { textReply } from './node-http.ts'
import { type OperatorPageOptions, operatorRoutes } from './operator-page.ts'
import type { Plugins } from './plugins/plugins.ts'
import { findRoute, type Route, type RouteHandler } from './route-table.ts'
import type { RpcProxy } from './rpc/rpc-proxy.ts'
import { rpcHandler, toJson } from './rpc/rpc-server.ts'

/** Settings of the listener; the names are those of the settings `node.…`. */
export type NodeSettings = {
  readonly host: string
  readonly port: number
  readonly apiAdminEnabled: boolean
  readonly adminAllowRemote: boolean
  readonly adminCompat: 'document' | 'avalanchego'
  readonly allowedHosts: readonly string[]
  /** Longest pause of a thread before the process counts as dead; else 30 s. */
  readonly maxSilenceMs?: number
  /** Limits of connections; else those of the guide. */
  readonly sockets?: ListenerLimits
}

type NodeListenerOptions = {
  readonly settings: NodeSettings
  readonly identity: NodeIdentity
  readonly logs: LogRegistry
  /** The logger of the listener itself. */
  readonly log: Log
  readonly gauges: Gauges
  readonly health: Health
  readonly aliases: AliasTable
  readonly plugins: Plugins
  readonly profiler: Profiler
  readonly proxy: RpcProxy
  readonly world: World
  readonly threads: Threads
  /** Called once when the listener ends by itself. */
  readonly failed: (error: unknown) => void
  readonly chains: OperatorPageOptions['chains']
  readonly lastHour: OperatorPageOptions['lastHour']
}

// A thread that indexes may be busy with one batch or garbage for seconds, not for so long.
const usualSilenceMs = 30_000

/** Operators are few: monitors, scripts, a wallet on the pass-through. */
const usualSockets: ListenerLimits = {
  maxPerAddress: 512,
  // Replies of a node are 32 MiB at most.
  maxUnsentBytes: 134_217_728,
  sendTimeoutMs: 60_000,
}

/** Bases that exist by themselves, whether or not administration is enabled. */
export const nodeBases = ['admin', 'info', 'health', 'metrics', 'firn'] as const

/**
 * The listener, not yet listening. Throws `bad-config` when administration is enabled on an address
 * others can reach and that was not allowed.
 */
export function createNodeListener(options: NodeListenerOptions): NodeListener {
  const { settings, aliases, gauges, world } = options
  checkAdminHost(settings)
  const routes = { fixed: fixedRoutes(options), chain: chainRoute(options), aliases }
  const server = createNodeServer({
    host: settings.host,
    port: settings.port,
    allowedHosts: settings.allowedHosts,
    nodeId: options.identity.nodeId,
    find: (path) => findRoute(path, routes),
    findByHeader: (name) => headerRoute(name, options),
    health: options.health,
    threads: options.threads,
    maxSilenceMs: settings.maxSilenceMs ?? usualSilenceMs,
    sockets: settings.sockets ?? usualSockets,
    failed: options.failed,
    clock: world.clock,
    gauges,
    log: options.log,
  })
  return {
    ...server,
    listen: async () => {
      await server.listen()
      // Sampling costs less than can be measured; a heap profile then knows what was held before.
      if (settings.apiAdminEnabled) await options.profiler.watchHeap()
    },
  }
}

/** Throws `bad-config` where administration would be served to others and that was not allowed. */
export function checkAdminHost(
  settings: Pick<NodeSettings, 'host' | 'apiAdminEnabled' | 'adminAllowRemote'>,
): void {
  if (!settings.apiAdminEnabled || settings.adminAllowRemote || isLoopback(settings.host)) return
  const why =
    'administration has no credential: it is served on loopback only unless node.adminAllowRemote is true'
  throw new Fault('bad-config', `${why}: node.host ${settings.host}`)
}

function fixedRoutes(
  options: NodeListenerOptions,
): ReadonlyMap<string, ReadonlyMap<string, RouteHandler>> {
  const { settings, log, logs, gauges, health, aliases, plugins, profiler, identity } = options
  const fixed = new Map<string, ReadonlyMap<string, RouteHandler>>([
    ['info', alone(rpcHandler({ info: infoMethods({ identity, aliases, plugins }) }, log))],
    ['health', healthRoutes(health, log)],
    ['metrics', alone(metricsRoute(gauges))],
    [
      'firn',
      operatorRoutes({
        version: identity.version,
        nodeId: identity.nodeId,
        health,
        gauges,
        chains: options.chains,
        lastHour: options.lastHour,
        recentLog: logs.recent,
      }),
    ],
  ])
  if (settings.apiAdminEnabled) {
    const admin = { aliases, logs, plugins, profiler, compat: settings.adminCompat }
    const services = { admin: adminMethods(admin), firn: firnMethods(admin) }
    const watch = (method: string, outcome: string): void =>
      gauges.add('firn_admin_calls_total', 1, { method, outcome })
    fixed.set('admin', alone(rpcHandler(services, log, watch)))
  }
  return fixed
}

function alone(handler: RouteHandler): ReadonlyMap<string, RouteHandler> {
  return new Map([['', handler]])
}

function metricsRoute(gauges: Gauges): RouteHandler {
  return async () => ({ status: 200, contentType: gauges.contentType, body: await gauges.text() })
}

function chainRoute(
  options: NodeListenerOptions,
): (chain: NodeChain, extension: string) => RouteHandler | undefined {
  const { proxy } = options
  return (chain, extension) => {
    const own = chain.kind === 'evm' ? '/rpc' : ''
    if (extension === own) {
      return chain.rpcUrls.length === 0
        ? () => textReply(503, 'this chain has no node\n')
        : (request) => proxy.pass(chain, request)
    }
    return pluginRoute(chain, extension, options)
  }
}

/** Routed by header: only by id, as the original does not honour aliases there. */
function headerRoute(name: string, { aliases, proxy }: NodeListenerOptions): Route | undefined {
  const chain = aliases.chainOf(name)
  if (chain === undefined || chain.id !== name) return undefined
  return { handler: (request) => proxy.pass(chain, request), base: 'bc', extension: '' }
}

const path = /^\/blocks\/([A-Za-z0-9_-]{1,128})$/

/** The handler of one block of a chain, or `undefined` when its VM is no plugin. */
function pluginRoute(
  { vmId, rpcUrls }: NodeChain,
  extension: string,
  { plugins, proxy }: { readonly plugins: Plugins; readonly proxy: RpcProxy },
): RouteHandler | undefined {
  const name = path.exec(extension)?.[1]
  if (vmId === undefined || name === undefined || !plugins.has(vmId)) return undefined
  return async (request) => {
    if (request.method !== 'GET') return textReply(405, 'GET required\n')
    const call = async (body: unknown): Promise<unknown> => {
      const bytes = new TextEncoder().encode(JSON.stringify(body))
      return jsonOf((await proxy.post(rpcUrls, bytes, request.signal)).body)
    }
    try {
      const block = await plugins.readBlock(vmId, name, call)
      if (!isObject(block)) throw new Fault('bad-bytes', 'plugin gave no block')
      return { status: 200, contentType: 'application/json', body: `${toJson(block)}\n` }
    } catch (error) {
      const fault = faultIn(error)
      return textReply(fault.code === 'bad-bytes' ? 502 : 503, `${fault.message}\n`)
    }
  }
}
