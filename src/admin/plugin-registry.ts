/**
 * The virtual machines this process can read: those built in, and plugins of the plugin folder.
 *
 * Loading tries every file not loaded yet, each in a thread of its own; one that failed is tried
 * again by the next load. Source: avalanchego vms/registry/vm_registry.go.
 */

import { lstat, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { Fault, faultOf } from '../core/fault.ts'
import type { Clock } from '../core/world.ts'
import type { Log } from '../telemetry/log.ts'
import { createSemaphore } from '../telemetry/semaphore.ts'
import type { Waits } from '../telemetry/waits.ts'
import { canonicalId } from './chain-id.ts'
import { startPlugin, type PluginHost } from './plugin-host.ts'
import type { PluginFacts } from './plugin.ts'

/** A virtual machine by its id, cb58. */
export type KnownVm = PluginFacts & { readonly id: string }

/** Result of a load. `unnamed` are files whose name is not that of a VM. */
export type LoadedVms = {
  readonly loaded: Readonly<Record<string, readonly string[]>>
  readonly failed: Readonly<Record<string, string>>
  readonly unnamed: readonly string[]
}

/** The virtual machines of a process. */
export type PluginRegistry = {
  readonly list: () => readonly KnownVm[]
  /** Throws `store-failed` in the system's words when the folder cannot be read. */
  readonly load: (signal: AbortSignal) => Promise<LoadedVms>
  /** The running plugin of a VM, started when needed; `undefined` when none is loaded. */
  readonly hostOf: (vmId: string) => Promise<PluginHost> | undefined
  readonly close: () => Promise<void>
}

/** Parameters of {@link createPluginRegistry}. */
export type PluginParts = {
  /** The plugin folder. One that is not there holds no plugins. */
  readonly directory: string
  /** Version of the product, told of the VMs built in. */
  readonly version: string
  readonly clock: Clock
  readonly log: Log
  readonly waits: Waits
}

// Ids are names in ASCII, padded with zeros to 32 bytes. Source: avalanchego utils/constants/vm_ids.go.
const builtIn: readonly (readonly [id: string, name: string])[] = [
  ['rWhpuQPF1kb72esV2momhMuTYGkEb1oL29pt2EBXWmSy4kxnT', 'platform'],
  ['jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq', 'avm'],
  ['mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6', 'evm'],
  ['srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy', 'subnetevm'],
]

// More files than VMs exist; reading a wrong folder must not start a thread for each of its files.
const maxFiles = 1_000

// Each plugin is a thread while it presents itself.
const atOnce = 4

/** A registry that knows the VMs built in. */
export function createPluginRegistry(parts: PluginParts): PluginRegistry {
  const { directory, version, log, waits } = parts
  const known = new Map<string, KnownVm & { readonly file: string | undefined }>()
  for (const [id, name] of builtIn) {
    known.set(id, { id, name, version, aliases: [name], file: undefined })
  }
  const hosts = new Map<string, Promise<PluginHost>>()
  const turn = createSemaphore({ name: 'plugin loading', permits: 1, waits, maxWaiting: 16 })

  const idOf = (name: string): string | undefined =>
    [...known.values()].find((vm) => vm.aliases.includes(name))?.id ?? canonicalId(name)

  async function loadOne(id: string, file: string): Promise<readonly string[]> {
    const entry = await entryOf(directory, file)
    const host = await startPlugin(pathToFileURL(entry).href, parts)
    await host.close()
    // The id itself is not a relevant alias.
    const aliases = host.facts.aliases.filter((alias) => alias !== id)
    for (const alias of aliases) {
      const taken = idOf(alias)
      if (taken !== undefined && taken !== id) {
        throw new Fault('bad-config', `alias already mapped to an ID: ${alias}`)
      }
    }
    known.set(id, { ...host.facts, aliases, id, file: entry })
    log.info('plugin loaded', { vmId: id, name: host.facts.name, version: host.facts.version })
    return aliases
  }

  async function load(signal: AbortSignal): Promise<LoadedVms> {
    const unnamed: string[] = []
    const waiting: [id: string, file: string][] = []
    for (const file of await filesOf(directory)) {
      const name = file.replace(/\.m?js$/, '')
      const id = idOf(name)
      if (id === undefined) unnamed.push(name)
      else if (!known.has(id)) waiting.push([id, file])
    }
    for (const name of unnamed) log.warn('plugin has no VM id', { name })
    return { ...(await loadAll(waiting, loadOne, { log, signal })), unnamed }
  }

  function hostOf(vmId: string): Promise<PluginHost> | undefined {
    const file = known.get(vmId)?.file
    if (file === undefined) return undefined
    const running = hosts.get(vmId)
    const fresh = async (): Promise<PluginHost> => {
      const before = await running?.catch(() => undefined)
      return before?.isAlive() === true ? before : startPlugin(pathToFileURL(file).href, parts)
    }
    const host = fresh()
    hosts.set(vmId, host)
    return host
  }

  return {
    list: () => [...known.values()].map(({ file: _file, ...vm }) => vm),
    load: (signal) => turn.run(() => load(signal), signal),
    hostOf,
    close: async () => {
      for (const host of hosts.values()) await (await host.catch(() => undefined))?.close()
      hosts.clear()
    },
  }
}

/** Loads plugins, {@link atOnce} side by side. */
async function loadAll(
  waiting: [id: string, file: string][],
  loadOne: (id: string, file: string) => Promise<readonly string[]>,
  { log, signal }: Pick<PluginParts, 'log'> & { readonly signal: AbortSignal },
): Promise<Omit<LoadedVms, 'unnamed'>> {
  const loaded = new Map<string, readonly string[]>()
  const failed = new Map<string, string>()
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      signal.throwIfAborted()
      const [id, file] = next
      try {
        loaded.set(id, await loadOne(id, file))
      } catch (error) {
        const reason = faultOf(error)?.message ?? systemWords(error)
        failed.set(id, reason)
        log.warn('plugin not loaded', { vmId: id, reason })
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return { loaded: sorted(loaded), failed: sorted(failed) }
}

/** Files and folders that may be plugins: hidden names and other extensions are none. */
async function filesOf(directory: string): Promise<readonly string[]> {
  let entries
  try {
    entries = await readdir(directory, { withFileTypes: true })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw new Fault('store-failed', systemWords(error), { cause: error })
  }
  const files = entries
    .filter((entry) => !entry.name.startsWith('.'))
    .filter((entry) => entry.isDirectory() || /\.m?js$/.test(entry.name))
    .map((entry) => entry.name)
    .toSorted()
  if (files.length > maxFiles) {
    throw new Fault('bad-config', `too many files in the plugin folder: ${files.length}`)
  }
  return files
}

/** The module of a plugin file or folder. Loading it runs it, so strangers must not write it. */
async function entryOf(directory: string, name: string): Promise<string> {
  const path = join(directory, name)
  await refuseInsecure(directory)
  await refuseInsecure(path)
  if (!(await stat(path)).isDirectory()) return path
  const manifest: unknown = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'))
  const members = new Map(Object.entries(typeof manifest === 'object' ? (manifest ?? {}) : {}))
  const entry: unknown = members.get('exports') ?? members.get('main') ?? './index.js'
  if (
    typeof entry !== 'string' ||
    !/^(\.\/)?[\w.-]+(\/[\w.-]+)*$/.test(entry) ||
    entry.includes('..')
  ) {
    throw new Fault('bad-config', 'package.json must name one module of its folder in "exports"')
  }
  await refuseInsecure(join(path, entry))
  return join(path, entry)
}

async function refuseInsecure(path: string): Promise<void> {
  const own = process.getuid?.()
  if (own === undefined) return
  for (const found of [await lstat(path), await stat(path)]) {
    const strangers = found.isSymbolicLink() ? 0 : found.mode & 0o022
    if (strangers !== 0 || (found.uid !== own && found.uid !== 0)) {
      throw new Fault('bad-config', 'insecure permissions')
    }
  }
}

const words = new Map([
  ['EACCES', 'permission denied'],
  ['ENOENT', 'no such file or directory'],
  ['ENOTDIR', 'not a directory'],
])

/** A system error as Go tells it: `open /plugins: permission denied`. */
function systemWords(error: unknown): string {
  const code = codeOf(error)
  const path = error instanceof Error && 'path' in error ? String(error.path) : ''
  const known = code === undefined ? undefined : words.get(code)
  if (known !== undefined) return `open ${path}: ${known}`
  return error instanceof Error ? error.message : String(error)
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

function sorted<T>(entries: ReadonlyMap<string, T>): Readonly<Record<string, T>> {
  return Object.fromEntries([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
