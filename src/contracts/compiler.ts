/** Runs compilers in processes of their own, with limits of memory and processor time. */

import { type ChildProcess, spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Fault } from '../core/fault.ts'
import { entryFile } from '../core/installation.ts'
import { isObject, jsonOf } from '../core/json.ts'
import type { CompileWork } from './compile-worker.ts'
import type { Compiler } from './compilers.ts'

/** Limits of one compilation: memory of its process, and seconds of a processor. */
export type CompileLimits = { readonly seconds: number; readonly memoryBytes: number }

const mebibyte = 1_048_576

/**
 * The system counts address space that may be written, of which the runtime reserves so much for code and stacks and
 * does not use it. Measured with Node 26 on x64.
 */
const reservedBytes = 600 * mebibyte
/** Memory of the runtime and of a compiler's code; the rest is for what the compiler works with. */
const ownBytes = 160 * mebibyte
/** Old heap, MiB: input and output are text there. */
const heapMib = 128

/** The limits are the system's, so that nothing in the process can pass them. */
const limited = 'ulimit -c 0; ulimit -d "$1"; ulimit -S -t "$2"; shift 2; exec "$@"'

/** Most text that Vyper prints; its largest contracts in use make a thirtieth of it. */
const printedBytes = 32 * mebibyte

/** Output of a compiler. */
export type Compiled = {
  /** As the compiler names itself: `0.8.20+commit.a1b79de6`, Vyper `0.4.3`. */
  readonly version: string
  /** Standard JSON output. */
  readonly output: Readonly<Record<string, unknown>>
}

/**
 * Compiles standard JSON. Throws `bad-parameter` with the compiler's first error, or with the limit
 * that was hit.
 */
export async function compile(
  { compiler, input }: { readonly compiler: Compiler; readonly input: unknown },
  { limits, signal }: { readonly limits: CompileLimits; readonly signal: AbortSignal },
): Promise<Compiled> {
  signal.throwIfAborted()
  const { memoryBytes, seconds } = limits
  const child = 'program' in compiler ? startVyper(compiler.program, limits) : startSolidity(limits)
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const stop = (): void => reject(signal.reason)
  child.once('message', resolve)
  child.once('error', (cause) =>
    reject(new Fault('not-served', 'no compiler could be started', { cause })),
  )
  let printed = ''
  child.stdout?.on('data', (part) => {
    printed += String(part)
    if (printed.length > printedBytes)
      reject(new Fault('bad-parameter', 'the compiler prints too much'))
  })
  child.once('close', (_code, by) => {
    if (by === null && printed !== '') resolve({ output: printed })
    reject(
      new Fault(
        'bad-parameter',
        by === 'SIGXCPU'
          ? `compiling takes more than ${seconds} s of a processor`
          : `the compiler failed: compiling may take ${memoryBytes / mebibyte} MiB`,
      ),
    )
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    const text = JSON.stringify(input)
    if ('program' in compiler) child.stdin?.on('error', () => undefined).end(text)
    else {
      const sent: CompileWork = { compiler, input: text }
      child.send(sent, () => undefined)
    }
    return readOutput(await promise)
  } finally {
    signal.removeEventListener('abort', stop)
    child.kill('SIGKILL')
  }
}

function startSolidity({ memoryBytes, seconds }: CompileLimits): ChildProcess {
  const pages = Math.max(1, Math.floor((memoryBytes - ownBytes) / 65_536))
  return spawn(
    '/bin/sh',
    [
      '-c',
      limited,
      'sh',
      String((memoryBytes + reservedBytes) / 1_024),
      String(seconds),
      process.execPath,
      `--max-old-space-size=${heapMib}`,
      `--wasm-max-mem-pages=${pages}`,
      fileURLToPath(entryFile('contracts/compile-worker')),
    ],
    // What a compiler prints is not ours, and what this process was given is not the compiler's.
    { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' },
  )
}

/** In its own folder, where Vyper finds no files of others to import. */
function startVyper(program: string, { memoryBytes, seconds }: CompileLimits): ChildProcess {
  const words = ['-c', limited, 'sh', String(memoryBytes / 1_024), String(seconds), program]
  return spawn('/bin/sh', words, {
    cwd: dirname(program),
    env: { PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
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
  const { version } = reply
  const own = typeof version === 'string' ? version : String(output['compiler'])
  return { version: commitOf(own), output }
}

/** `0.8.20+commit.a1b79de6.Emscripten.clang` without its platform, `vyper-0.4.3` without its name. */
function commitOf(version: string): string {
  return /\d+\.\d+\.\d+(?:\+commit\.[0-9a-f]{8})?/.exec(version)?.[0] ?? version
}
