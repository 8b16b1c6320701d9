/**
 * Compiles the contracts of the demo with the Solidity compiler of npm, which is fetched for this
 * alone: neither the compiler nor what it makes is part of the project.
 */

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { fromHex } from '../../src/core/bytes.ts'

const compiler = 'solc@0.8.30'
const source = new URL('contracts.sol', import.meta.url)

type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<
    Record<string, Record<string, { evm: { bytecode: { object: string } } }>>
  >
}

/** Creation code of every contract by its name. Needs npm and its registry. */
export async function compiledContracts(): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-demo-solc-'))
  try {
    await promisify(execFile)('npm', ['install', '--no-save', '--prefix', folder, compiler])
    const solc = createRequire(join(folder, 'from.js'))('solc') as {
      compile: (input: string) => string
    }
    const input = {
      language: 'Solidity',
      sources: { demo: { content: await readFile(source, 'utf8') } },
      settings: {
        // The oldest that all chains of the demo know when their first contract is made.
        evmVersion: 'paris',
        optimizer: { enabled: true, runs: 1 },
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
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
