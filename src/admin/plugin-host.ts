/** A plugin in its thread, from outside: started with a limit, asked with a limit, ended. */

import { Worker } from 'node:worker_threads'

import { Fault } from '../core/fault.ts'
import { inTime } from '../core/in-time.ts'
import { entryFile } from '../core/installation.ts'
import type { Clock } from '../core/world.ts'
import { waitOn, type Waits } from '../telemetry/waits.ts'
import type { PluginCall, PluginMessage } from './plugin-worker.ts'
import type { PluginFacts } from './plugin.ts'

/** A plugin that has said what it is. */
export type PluginHost = {
  readonly facts: PluginFacts
  /** Throws `bad-bytes` with the plugin's words, `not-served` when it takes too long or is gone. */
  readonly call: (call: Omit<PluginCall, 'id'>) => Promise<unknown>
  readonly isAlive: () => boolean
  readonly close: () => Promise<void>
}

/**
 * The original's limit for a plugin to present itself. Source: avalanchego vms/rpcchainvm/runtime.
 */
const handshakeTimeoutMs = 5_000

// Decoding a block takes milliseconds; a second says that it will not end.
const callTimeoutMs = 2_000

// Room for a large block and its decoded form.
const maxHeapMb = 128

/** Starts the plugin of `file`, a `file:` URL. Throws `bad-config` saying why it cannot be used. */
export async function startPlugin(
  file: string,
  { clock, waits }: { readonly clock: Clock; readonly waits: Waits },
): Promise<PluginHost> {
  const worker = new Worker(entryFile('admin/plugin-worker'), {
    workerData: { file },
    // A plugin is told nothing of the process: no environment, no arguments.
    env: {},
    argv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 16 },
  })
  worker.unref()
  const pending = new Map<number, (message: PluginMessage) => void>()
  const { promise: first, resolve: presented } = Promise.withResolvers<PluginMessage>()
  let alive = true
  let lastId = 0

  const end = (reason: string): void => {
    alive = false
    presented({ failed: reason })
    for (const [id, resolve] of pending) resolve({ id, error: reason })
    pending.clear()
  }
  worker.on('message', (message: PluginMessage) => {
    if ('id' in message) pending.get(message.id)?.(message)
    else presented(message)
  })
  worker.on('error', (error: Error) => end(error.message))
  worker.on('exit', () => end('plugin ended by itself'))

  async function close(): Promise<void> {
    alive = false
    await worker.terminate()
  }

  async function call(asked: Omit<PluginCall, 'id'>): Promise<unknown> {
    if (!alive) throw new Fault('not-served', 'plugin is not running')
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<PluginMessage>()
    pending.set(id, resolve)
    worker.postMessage({ ...asked, id } satisfies PluginCall)
    const reply = await waitOn(waits, 'plugin call', inTime(promise, { clock, ms: callTimeoutMs }))
    pending.delete(id)
    if (reply === undefined) {
      await close()
      throw new Fault('not-served', `plugin did not answer in ms: ${callTimeoutMs}`)
    }
    if ('value' in reply) return reply.value
    throw new Fault('bad-bytes', 'error' in reply ? reply.error : 'plugin answered out of turn')
  }

  const message = await inTime(first, { clock, ms: handshakeTimeoutMs })
  if (message !== undefined && 'facts' in message) {
    return { facts: message.facts, call, isAlive: () => alive, close }
  }
  await close()
  const reason = message !== undefined && 'failed' in message ? message.failed : undefined
  throw new Fault('bad-config', reason ?? 'plugin handshake timed out')
}
