/**
 * Compiles one input and ends: the program of the thread that `compiler.ts` starts.
 *
 * A compiler is Solidity's `soljson.js`: a module in JavaScript with WebAssembly in it.
 * Source: solc-js, for the names of its functions.
 */

import { createRequire } from 'node:module'
import { compileFunction } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'

/** Data of the thread. */
export type CompileWork = {
  readonly compiler: Uint8Array
  /** Standard JSON input. */
  readonly input: string
  readonly memoryBytes: number
}

type Soljson = {
  readonly cwrap: (
    name: string,
    result: 'string',
    parameters: readonly ('string' | 'number')[],
  ) => (...parameters: unknown[]) => string
  readonly _solidity_compile?: unknown
  readonly _solidity_version?: unknown
}

/** As much of the runtime's WebAssembly as is used; TypeScript knows it with browsers only. */
declare const WebAssembly: {
  readonly Memory: {
    readonly prototype: { grow: (this: { readonly buffer: ArrayBuffer }, pages: number) => number }
  }
}

const pageBytes = 65_536

/** Memory outside the heap grows by this method alone; no limit of threads counts it. */
function limitMemory(bytes: number): void {
  const { grow } = WebAssembly.Memory.prototype
  WebAssembly.Memory.prototype.grow = function limited(pages): number {
    if (this.buffer.byteLength + pages * pageBytes > bytes) throw new RangeError('memory is over')
    return grow.call(this, pages)
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `compiler.ts` alone starts this
const { compiler, input, memoryBytes } = workerData as CompileWork
limitMemory(memoryBytes)
const loaded: { exports: Soljson | Record<string, never> } = { exports: {} }
const load = compileFunction(new TextDecoder().decode(compiler), [
  'module',
  'exports',
  'require',
  '__filename',
  '__dirname',
])
load(loaded, loaded.exports, createRequire(import.meta.url), 'soljson.js', '.')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the module exports
const soljson = loaded.exports as Soljson
const isNew = soljson._solidity_compile !== undefined
const versionName = soljson._solidity_version === undefined ? 'version' : 'solidity_version'
const version = soljson.cwrap(versionName, 'string', [])()
const compile = soljson.cwrap(isNew ? 'solidity_compile' : 'compileStandard', 'string', [
  'string',
  'number',
  'number',
])
// No function to read files: sources are in the input.
parentPort?.postMessage({ version, output: compile(input, 0, 0) })
