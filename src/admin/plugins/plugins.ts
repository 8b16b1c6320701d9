/**
 * The virtual machines this process can read: those built in, and plugins of the plugin folder.
 *
 * A plugin is an ES module named by its VM id, `<vmId>.mjs` or `<vmId>.js`, that exports one function,
 * `readBlock(name, call)`. All plugins run in one thread with a limit of time and memory; one that
 * hangs or grows ends the thread, which the next call starts again. Loading tries every file that
 * is not loaded yet.
 *
 * Source: avalanchego vms/registry/vm_registry.go.
 */

import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'

import { Fault, faultOf } from '../../core/fault.ts'
import { entryFile } from '../../core/installation.ts'
import { inTime } from '../../core/waiting.ts'
import type { Clock } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'
import { createSemaphore } from '../../telemetry/threads/semaphore.ts'
import { waitOn, type Waits } from '../../telemetry/threads/waits.ts'
import { canonicalId } from '../chain-id.ts'
import type { PluginAnswer, PluginCall, PluginMessage } from './plugin-worker.ts'

/** A virtual machine by its id, cb58. */
export type KnownVm = {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly aliases: readonly string[]
}

/** Result of a load. `unnamed` are files whose name is not that of a VM. */
export type LoadedVms = {
  readonly loaded: Readonly<Record<string, readonly string[]>>
  readonly failed: Readonly<Record<string, string>>
  readonly unnamed: readonly string[]
}

/** POSTs JSON to a chain's node; gives its answer, parsed. */
export type CallNode = (body: unknown) => Promise<unknown>

type PluginsOptions = {
  /** The plugin folder. One that is not there holds no plugins. */
  readonly directory: string
  /** Version of the product, given for every VM. */
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

// More files than VMs exist; reading a wrong folder must not try each of its files.
const maxFiles = 1_000

// A module is imported and a block is read in milliseconds; five seconds say that it will not end. It is
// the original's limit for a plugin to present itself.
const limitMs = 5_000

// Room for a large block and its decoded form.
const maxHeapMb = 128

type Thread = {
  readonly worker: Worker
  readonly calls: Map<number, (message: PluginMessage) => void>
}

/** The plugins of one process. */
export class Plugins {
  readonly #options: PluginsOptions
  /** Modules of loaded plugins by VM id. */
  readonly #files = new Map<string, string>()
  readonly #turn: ReturnType<typeof createSemaphore>
  #thread: Thread | undefined
  #lastId = 0

  constructor(options: PluginsOptions) {
    this.#options = options
    this.#turn = createSemaphore({
      name: 'plugin loading',
      permits: 1,
      waits: options.waits,
      maxWaiting: 16,
    })
  }

  list(): readonly KnownVm[] {
    const { version } = this.#options
    return [
      ...builtIn.map(([id, name]) => ({ id, name, version, aliases: [name] })),
      ...[...this.#files.keys()].map((id) => ({ id, name: id, version, aliases: [] })),
    ]
  }

  /** Loads what is not loaded yet. Throws `store-failed` in the system's words. */
  load(signal: AbortSignal): Promise<LoadedVms> {
    return this.#turn.run(() => this.#load(signal), signal)
  }

  /** Returns whether a plugin of this VM is loaded. */
  has(vmId: string): boolean {
    return this.#files.has(vmId)
  }

  /**
   * The block `name` of a chain, `latest` or an id, as the plugin of its VM reads it. Throws `bad-bytes` with the
   * plugin's words, `not-served` when it takes too long or is gone.
   */
  async readBlock(vmId: string, name: string, call: CallNode): Promise<unknown> {
    const file = this.#files.get(vmId)
    if (file === undefined) throw new Fault('not-served', 'plugin is not loaded')
    return this.#call({ file, block: name }, call)
  }

  async close(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    await thread?.worker.terminate()
  }

  async #load(signal: AbortSignal): Promise<LoadedVms> {
    const { directory, log } = this.#options
    const known = new Map(this.list().map((vm) => [vm.aliases[0] ?? vm.id, vm.id]))
    const unnamed: string[] = []
    const loaded = new Map<string, readonly string[]>()
    const failed = new Map<string, string>()
    for (const file of await filesOf(directory)) {
      signal.throwIfAborted()
      const name = file.replace(/\.m?js$/, '')
      const id = known.get(name) ?? canonicalId(name)
      if (id === undefined) {
        unnamed.push(name)
        log.warn('plugin has no VM id', { name })
      } else if (![...known.values()].includes(id)) {
        try {
          // A module that failed stays failed under its address: each try has its own.
          const url = `${pathToFileURL(await safeFile(directory, file)).href}?${++this.#lastId}`
          await this.#call({ file: url })
          this.#files.set(id, url)
          loaded.set(id, [])
          log.info('plugin loaded', { vmId: id })
        } catch (error) {
          const reason = faultOf(error)?.message ?? systemWords(error)
          failed.set(id, reason)
          log.warn('plugin not loaded', { vmId: id, reason })
        }
      }
    }
    return { loaded: Object.fromEntries(loaded), failed: Object.fromEntries(failed), unnamed }
  }

  async #call(call: Omit<PluginCall, 'id'>, callNode?: CallNode): Promise<unknown> {
    const thread = (this.#thread ??= this.#start())
    const id = ++this.#lastId
    const { promise: done, resolve } = Promise.withResolvers<PluginMessage>()
    thread.calls.set(id, (message) => {
      if (!('call' in message)) return resolve(message)
      const { call: number, body } = message
      const answer = (reply: PluginAnswer): void => thread.worker.postMessage(reply)
      callNode?.(body).then(
        (value) => answer({ call: number, answer: value }),
        () => answer({ call: number }),
      )
    })
    thread.worker.postMessage({ ...call, id } satisfies PluginCall)
    const { clock, waits } = this.#options
    const message = await waitOn(waits, 'plugin call', inTime(done, { clock, ms: limitMs }))
    thread.calls.delete(id)
    if (message === undefined) {
      this.#end(thread, 'plugin thread was ended')
      throw new Fault('not-served', `plugin did not answer in ms: ${limitMs}`)
    }
    if ('value' in message) return message.value
    throw new Fault('bad-bytes', 'error' in message ? message.error : 'plugin called after its end')
  }

  #start(): Thread {
    const worker = new Worker(entryFile('admin/plugins/plugin-worker'), {
      // A plugin gets nothing of the process: no environment, no arguments.
      env: {},
      argv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 16 },
    })
    worker.unref()
    const thread: Thread = { worker, calls: new Map() }
    worker.on('message', (message: PluginMessage) => thread.calls.get(message.id)?.(message))
    worker.on('error', (error: Error) => this.#end(thread, error.message))
    worker.on('exit', () => this.#end(thread, 'plugin ended by itself'))
    return thread
  }

  #end(thread: Thread, error: string): void {
    if (this.#thread === thread) this.#thread = undefined
    for (const [id, resolve] of thread.calls) resolve({ id, error })
    thread.calls.clear()
    void thread.worker.terminate()
  }
}

/** Files that may be plugins: hidden names and other extensions are none. */
async function filesOf(directory: string): Promise<readonly string[]> {
  let names
  try {
    names = await readdir(directory)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw new Fault('store-failed', systemWords(error), { cause: error })
  }
  const files = names.filter((name) => /^[^.].*\.m?js$/.test(name)).toSorted()
  if (files.length > maxFiles)
    throw new Fault('bad-config', `too many files in the plugin folder: ${files.length}`)
  return files
}

/** Path of a plugin. Loading it runs it, so strangers must not write it or its folder. */
async function safeFile(directory: string, name: string): Promise<string> {
  const path = join(directory, name)
  const own = process.getuid?.()
  if (own === undefined) return path
  for (const place of [directory, path])
    for (const found of [await lstat(place), await stat(place)]) {
      const strangers = found.isSymbolicLink() ? 0 : found.mode & 0o022
      if (strangers !== 0 || (found.uid !== own && found.uid !== 0))
        throw new Fault('bad-config', 'insecure permissions')
    }
  return path
}

const words = new Map([
  ['EACCES', 'permission denied'],
  ['ENOENT', 'no such file or directory'],
  ['ENOTDIR', 'not a directory'],
])

/** A system error as Go words it: `open /plugins: permission denied`. */
function systemWords(error: unknown): string {
  const path = error instanceof Error && 'path' in error ? String(error.path) : ''
  const known = words.get(codeOf(error) ?? '')
  if (known !== undefined) return `open ${path}: ${known}`
  return error instanceof Error ? error.message : String(error)
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
