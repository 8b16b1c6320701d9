/**
 * Compiles one input and ends: the program of the process that `compiler.ts` starts.
 *
 * A compiler is Solidity's `soljson.js`: a module in JavaScript with WebAssembly in it.
 * Source: solc-js, for the names of its functions.
 */

import { createRequire } from 'node:module'
import { compileFunction } from 'node:vm'

/** Message to the process. */
export type CompileWork = {
  readonly compiler: Uint8Array
  /** Standard JSON input. */
  readonly input: string
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

process.once('message', ({ compiler, input }: CompileWork) => {
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
  process.send?.({ version, output: compile(input, 0, 0) })
})
