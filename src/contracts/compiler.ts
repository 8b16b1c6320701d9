/** Runs Solidity compilers in threads of their own, with limits of time and memory. */

import { Worker } from 'node:worker_threads'

import { Fault } from '../core/fault.ts'
import { entryFile } from '../core/installation.ts'
import { isObject, jsonOf } from '../core/json.ts'
import { inTime } from '../core/waiting.ts'
import type { Clock } from '../core/world.ts'
import type { CompileWork } from './compile-worker.ts'

/** Limits of one compilation. */
export type CompileLimits = { readonly ms: number; readonly memoryBytes: number }

/** Those of the product: the largest contracts in use take some 20 s and 500 MiB. */
export const usualCompileLimits: CompileLimits = { ms: 60_000, memoryBytes: 1_073_741_824 }

/** Old heap of the thread, MiB: input and output are text there. */
const heapMib = 256

/** Output of a compiler. */
export type Compiled = {
  /** As the compiler names itself: `0.8.20+commit.a1b79de6`. */
  readonly version: string
  /** Standard JSON output. */
  readonly output: Readonly<Record<string, unknown>>
}

/**
 * Compiles standard JSON. Throws `bad-parameter` with the compiler's first error, or with the limit
 * that was hit.
 */
export async function compile(
  work: { readonly compiler: Uint8Array; readonly input: unknown },
  {
    clock,
    limits,
    signal,
  }: { readonly clock: Clock; readonly limits: CompileLimits; readonly signal: AbortSignal },
): Promise<Compiled> {
  const { memoryBytes, ms } = limits
  const workerData: CompileWork = {
    compiler: work.compiler,
    input: JSON.stringify(work.input),
    memoryBytes,
  }
  const worker = new Worker(entryFile('contracts/compile-worker'), {
    name: 'compile',
    workerData,
    // What a compiler prints is not ours.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMib },
  })
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const stop = (): void => reject(signal.reason)
  worker.once('message', resolve)
  worker.once('error', (cause) =>
    reject(new Fault('bad-parameter', tooMuch(memoryBytes), { cause })),
  )
  worker.once('exit', () => reject(new Fault('bad-parameter', tooMuch(memoryBytes))))
  signal.addEventListener('abort', stop, { once: true })
  try {
    const output = await inTime(promise, {
      clock,
      ms,
      late: () => {
        throw new Fault('bad-parameter', `compiling takes longer than ${ms / 1_000} s`)
      },
    })
    return readOutput(output)
  } finally {
    signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}

function tooMuch(memoryBytes: number): string {
  return `the compiler failed: compiling may take ${memoryBytes / 1_048_576} MiB`
}

function readOutput(reply: unknown): Compiled {
  const output = isObject(reply) ? jsonOf(String(reply['output'])) : undefined
  if (!isObject(reply) || !isObject(output))
    throw new Fault('bad-parameter', 'the compiler gave no output')
  const errors = Array.isArray(output['errors']) ? output['errors'] : []
  const error: unknown = errors.find((one) => isObject(one) && one['severity'] === 'error')
  if (isObject(error)) {
    const words = String(error['formattedMessage'] ?? error['message'])
    throw new Fault('bad-parameter', `the compiler refuses the sources: ${words.slice(0, 400)}`)
  }
  return { version: commitOf(String(reply['version'])), output }
}

/** `0.8.20+commit.a1b79de6.Emscripten.clang` without its platform. */
function commitOf(version: string): string {
  return /^\d+\.\d+\.\d+\+commit\.[0-9a-f]{8}/.exec(version)?.[0] ?? version
}
