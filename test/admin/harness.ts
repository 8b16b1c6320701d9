/** A node listener with all its real parts, on a free port, in a folder of its own. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { NodeChain } from '../../src/admin/aliases/alias-rules.ts'
import {
  aliasFile,
  createAliasTable,
  type AliasTable,
} from '../../src/admin/aliases/alias-table.ts'
import { createNodeListener, nodeBases, type NodeSettings } from '../../src/admin/node-api.ts'
import { Plugins } from '../../src/admin/plugins/plugins.ts'
import { allowedMethods } from '../../src/admin/rpc/rpc-methods.ts'
import { createRpcProxy } from '../../src/admin/rpc/rpc-proxy.ts'
import type { Transport } from '../../src/core/world.ts'
import { createGauges, type Gauges } from '../../src/telemetry/gauges.ts'
import { createHealth, type Health } from '../../src/telemetry/health.ts'
import { createLogs, type LogRegistry } from '../../src/telemetry/logs/log-registry.ts'
import { watchProcess } from '../../src/telemetry/process-gauges.ts'
import { profileFolder, createProfiler } from '../../src/telemetry/profile/profiler.ts'
import { createThreads, type Threads } from '../../src/telemetry/threads/thread.ts'
import { createWaits, type Waits } from '../../src/telemetry/threads/waits.ts'
import { openWorld } from '../../src/world/world.ts'
import { exchange, type RawReply, type RawRequest } from './exchange.ts'

/** Choices of a test. */
export type HarnessOptions = {
  readonly folder: string
  readonly chains?: () => readonly NodeChain[]
  readonly settings?: Partial<NodeSettings>
  readonly transport?: Transport
  readonly loggers?: readonly string[]
  /** Setting `node.rpcMethods`. */
  readonly rpcMethods?: readonly string[]
}

/** A running listener. */
export type Harness = {
  readonly port: number
  readonly folder: string
  readonly aliases: AliasTable
  readonly logs: LogRegistry
  readonly waits: Waits
  readonly gauges: Gauges
  readonly health: Health
  readonly threads: Threads
  readonly send: (request: RawRequest) => Promise<RawReply>
  /** Calls a method of `/ext/admin` and gives the parsed reply. */
  readonly call: (method: string, params?: unknown) => Promise<RpcAnswer>
  readonly close: () => Promise<void>
}

/** A reply of the RPC. */
export type RpcAnswer = { readonly result?: unknown; readonly error?: { readonly message: string } }

/** A fresh folder, removed by the returned function. */
export async function freshFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-admin-'))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Starts a listener on a free port. */
export async function startHarness(options: HarnessOptions): Promise<Harness> {
  const { folder, chains = () => noChains } = options
  const world = openWorld()
  const { clock, files } = world
  const transport = options.transport ?? world.transport
  const logs = createLogs({
    now: clock.now,
    display: undefined,
    format: 'json',
    directory: join(folder, 'logs'),
    logLevel: 'INFO',
    displayLevel: 'OFF',
  })
  for (const name of options.loggers ?? []) logs.log.child(name)
  const waits = createWaits(clock.monotonic)
  const gauges = createGauges()
  const health = createHealth({ clock, log: logs.log })
  const threads = createThreads({ logs, waits, clock })
  const watch = watchProcess(gauges)
  const log = logs.log
  const profiler = createProfiler({
    threads,
    waits,
    clock,
    log,
    write: profileFolder(join(folder, 'profiles')),
    outside: () => ({ memory: watch.memory(), notes: watch.notes() }),
  })
  const plugins = new Plugins({
    directory: join(folder, 'plugins'),
    version: 'firn/test',
    clock,
    log,
    waits,
  })
  const store = aliasFile(join(folder, 'aliases.json'), files)
  const aliases = await createAliasTable({ chains, bases: nodeBases, store, waits, log })
  const allowed = allowedMethods(options.rpcMethods ?? ['read'])
  const limits = { timeoutMs: 5_000, maxReplyBytes: 1e7 }
  const proxy = createRpcProxy({ transport, waits, log, allowed, ...limits })
  const listener = createNodeListener({
    settings: {
      host: '127.0.0.1',
      port: 0,
      apiAdminEnabled: true,
      adminAllowRemote: false,
      adminCompat: 'document',
      allowedHosts: ['localhost'],
      ...options.settings,
    },
    identity: { network: () => ({ id: 12345, name: 'local' }), version: 'firn/test' },
    logs,
    log,
    gauges,
    health,
    aliases,
    plugins,
    profiler,
    proxy,
    world: { ...world, transport },
    threads,
    failed: (error) => {
      throw error
    },
    chains: () => Promise.resolve([]),
    lastHour: new Map(),
  })
  await listener.listen()
  const port = listener.address()?.port ?? 0
  const send = (request: RawRequest): Promise<RawReply> => exchange(port, request)
  return {
    port,
    folder,
    aliases,
    logs,
    waits,
    gauges,
    health,
    threads,
    send,
    call: async (method, params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const answer: RpcAnswer = JSON.parse((await send({ body })).body)
      return answer
    },
    close: async () => {
      await listener.close()
      await profiler.close()
      await plugins.close()
      watch.stop()
      logs.close()
      await world.close()
    },
  }
}

const noChains: readonly NodeChain[] = []
