/** Compiles the contracts of the demo and of tests. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import { fromHex } from '../../src/core/bytes.ts'

const solc = createRequire(import.meta.url)('solc') as { compile: (input: string) => string }

/** Settings of the compiler. */
export const contractSettings = {
  // The oldest that all chains of the demo know when their first contract is made.
  evmVersion: 'paris',
  optimizer: { enabled: true, runs: 1 },
}

/** Their source. */
export function contractSource(): string {
  return readFileSync(new URL('contracts.sol', import.meta.url), 'utf8')
}

type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<
    Record<string, Record<string, { evm: { bytecode: { object: string } } }>>
  >
}

/** Methods of the demo's contracts that tell something and take nothing: what a page reads by itself. */
export const getters = [
  'blockchainID',
  'count',
  'messenger',
  'nonce',
  'open',
  'token',
  'tokensPerCoin',
].map((name) => `${name}()`)

/** Creation code of every contract of a source, else of the demo's, by its name. */
export function compiledContracts(content = contractSource()): ReadonlyMap<string, Uint8Array> {
  const input = {
    language: 'Solidity',
    sources: { demo: { content } },
    settings: {
      ...contractSettings,
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const [error] = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (error !== undefined) throw new Error(error.formattedMessage)
  return new Map(
    Object.entries(output.contracts?.['demo'] ?? {}).map(([name, { evm }]) => [
      name,
      fromHex(evm.bytecode.object),
    ]),
  )
}
