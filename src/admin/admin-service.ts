/**
 * The ten methods of `/ext/admin`, acting on this process.
 *
 * Source of replies and messages: document C part B; avalanchego api/admin/service.go, recorded in
 * `vectors/admin`. Where the original leaves half of a change behind, here nothing changes.
 */

import { Fault } from '../core/fault.ts'
import { parseLogLevel } from '../telemetry/log-level.ts'
import type { LogRegistry, LoggerLevels } from '../telemetry/logs/log-registry.ts'
import type { Profiler } from '../telemetry/profile/profiler.ts'
import type { AliasTable } from './aliases/alias-table.ts'
import { readId } from './chain-id.ts'
import { textOf } from './info-service.ts'
import type { Plugins } from './plugins/plugins.ts'
import type { Arguments } from './rpc/rpc-request.ts'
import type { RpcMethod } from './rpc/rpc-server.ts'

type AdminOptions = {
  readonly aliases: AliasTable
  readonly logs: LogRegistry
  readonly plugins: Plugins
  readonly profiler: Profiler
  /** `avalanchego` answers two methods as the original does where the document says otherwise. */
  readonly compat: 'document' | 'avalanchego'
}

/** Methods of the service `admin`. */
export function adminMethods(options: AdminOptions): Readonly<Record<string, RpcMethod>> {
  return { ...aliasMethods(options), ...loggerMethods(options), ...processMethods(options) }
}

/** Methods of the service `firn` beside it: what the original has no method for. */
export function firnMethods({ aliases }: AdminOptions): Readonly<Record<string, RpcMethod>> {
  return {
    listAliases: { params: {}, call: () => aliases.all() },
    removeAlias: {
      params: { alias: 'text' },
      call: async (args) => {
        await aliases.remove(textOf(args, 'alias'))
        return {}
      },
    },
  }
}

function aliasMethods({ aliases, compat }: AdminOptions): Record<string, RpcMethod> {
  return {
    alias: {
      params: { endpoint: 'text', alias: 'text' },
      call: async (args) => {
        await aliases.aliasRoute(textOf(args, 'endpoint'), textOf(args, 'alias'))
        return {}
      },
    },
    aliasChain: {
      params: { chain: 'text', alias: 'text' },
      call: async (args) => {
        await aliases.aliasChain(textOf(args, 'chain'), textOf(args, 'alias'))
        return {}
      },
    },
    getChainAliases: {
      params: { chain: 'text' },
      call: (args) => {
        const chain = textOf(args, 'chain')
        if (compat === 'document') {
          const names = aliases.namesOf(aliases.resolve(chain) ?? readId(chain))
          return { aliases: names }
        }
        const names = aliases.namesOf(readId(chain))
        return { aliases: names.length === 0 ? null : names }
      },
    },
  }
}

function loggerMethods({ logs, compat }: AdminOptions): Record<string, RpcMethod> {
  const chosen = (args: Arguments): readonly string[] => {
    const name = textOf(args, 'loggerName')
    if (name === '') return logs.names()
    if (logs.levels(name) !== undefined) return [name]
    throw new Fault('not-found', `logger with name ${JSON.stringify(name)} not found`)
  }
  const levels = (names: readonly string[]): { loggerLevels: Record<string, LoggerLevels> } => {
    const found = new Map<string, LoggerLevels>()
    for (const name of names.toSorted()) {
      const both = logs.levels(name)
      if (both !== undefined) found.set(name, both)
    }
    return { loggerLevels: Object.fromEntries(found) }
  }
  return {
    getLoggerLevel: { params: { loggerName: 'text' }, call: (args) => levels(chosen(args)) },
    setLoggerLevel: {
      params: { loggerName: 'text', logLevel: 'text', displayLevel: 'text' },
      accepts: (args) => isLevel(args['logLevel']) && isLevel(args['displayLevel']),
      call: (args) => {
        const logLevel = parseLogLevel(textOf(args, 'logLevel'))
        const displayLevel = parseLogLevel(textOf(args, 'displayLevel'))
        const change = { logLevel, displayLevel }
        if (change.logLevel === undefined && change.displayLevel === undefined) {
          throw new Fault('bad-parameter', 'need to specify either displayLevel or logLevel')
        }
        const names = chosen(args)
        for (const name of names) logs.setLevels(name, change)
        return compat === 'avalanchego' ? levels(names) : {}
      },
    },
  }
}

function isLevel(value: Arguments[string]): boolean {
  return value === undefined || (typeof value === 'string' && parseLogLevel(value) !== undefined)
}

function processMethods({ plugins, profiler, compat }: AdminOptions): Record<string, RpcMethod> {
  const plain = (act: () => Promise<void>): RpcMethod => ({
    params: {},
    call: async () => {
      await act()
      return {}
    },
  })
  return {
    startCPUProfiler: plain(() => profiler.startCpu()),
    stopCPUProfiler: plain(() => profiler.stopCpu()),
    memoryProfile: plain(() => profiler.writeHeap()),
    lockProfile: plain(() => profiler.writeLocks()),
    loadVMs: {
      params: {},
      call: async (_args, signal) => {
        const { loaded, failed, unnamed } = await plugins.load(signal)
        const [first] = unnamed
        if (compat === 'avalanchego' && first !== undefined) {
          throw new Fault('bad-parameter', `invalid vmID: ${JSON.stringify(first)}`)
        }
        const failures = Object.keys(failed).length === 0 ? {} : { failedVMs: failed }
        return { newVMs: loaded, ...failures }
      },
    },
  }
}
