/**
 * The recorded chain of `test/tools/contracts.sol`, served with its contracts, for tests of verification.
 *
 * An anvil made the chain (`test/tools/record-contracts.ts`), of code that Solidity's compiler of npm made.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

import { allowedMethods } from '../../../src/admin/rpc/rpc-methods.ts'
import { noAbis } from '../../../src/api/evm/abi/abi-book.ts'
import { createMethodNames } from '../../../src/api/evm/abi/known-methods.ts'
import {
  type ContractBook,
  createContractBook,
} from '../../../src/api/evm/contracts/contract-book.ts'
import { createRichAddressBooks } from '../../../src/api/evm/rich-addresses.ts'
import {
  createChainDirectory,
  type ServedChain,
} from '../../../src/api/operation/chain-directory.ts'
import { noTokenNotes } from '../../../src/api/prices/token-lists.ts'
import type { CompileLimits } from '../../../src/contracts/compiler.ts'
import type { Compilers } from '../../../src/contracts/compilers.ts'
import type { StandardInput } from '../../../src/contracts/standard-input.ts'
import { createStateReader } from '../../../src/service/stores/state-reader.ts'
import { openRecording } from '../../../src/source/recorded/recording.ts'
import { openStore } from '../../../src/store/open.ts'
import { contractStore, contractTables } from '../../../src/store/schema/deployment.ts'
import { chainTables } from '../../../src/store/schema/stores.ts'
import { systemClock } from '../processes/system-clock.ts'
import { demoFacts, readInto } from '../stores/demo-store.ts'
import { type EvmService, startEvmService } from './evm-service.ts'

/** EVM chain id of the chain. */
export const contractChain = 43_999

/** The version of npm's `solc`, as it names itself. */
export const solcVersion = '0.8.30+commit.73712a01'

const source = new URL('../../tools/contracts.sol', import.meta.url)

/** The compiler of npm alone. */
export const npmCompiler: Compilers = {
  versions: async () => [solcVersion],
  load: async () => readFileSync(createRequire(import.meta.url).resolve('solc/soljson.js')),
}

/** What the contracts were compiled of; `source` and settings may be replaced. */
export function contractInput(
  changed: { readonly source?: (text: string) => string; readonly settings?: object } = {},
): StandardInput {
  const content = readFileSync(source, 'utf8')
  return {
    language: 'Solidity',
    sources: { 'contracts.sol': { content: changed.source?.(content) ?? content } },
    settings: {
      evmVersion: 'paris',
      optimizer: { enabled: true, runs: 200 },
      ...changed.settings,
    },
  }
}

/** Addresses of the contracts, in the order of their making: account and nonce decide. */
export const made = {
  counter: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
  doubling: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
  doubler: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
  maker: '0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9',
}

let monotonic = 0
/** What is kept for seconds is over at the next look. */
const hasty = { ...systemClock, monotonic: () => (monotonic += 60_000) }

/** Those that are usual. */
export const compileLimits: CompileLimits = { seconds: 60, memoryBytes: 384 * 2 ** 20 }

/** Starts the service; it ends with the test file. */
export async function contractService(
  limits: CompileLimits = compileLimits,
): Promise<EvmService & { readonly book: ContractBook }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-contracts-'))
  const location = { store: 'embedded', dataDir }
  const recording = openRecording(
    readFileSync(new URL('../../../vectors/contracts/anvil.firnrec', import.meta.url)),
  )
  const store = await openStore(location, 'chain', chainTables, 'write')
  await readInto(store, recording)
  const verified = await openStore(location, contractStore, contractTables, 'write')
  const book = createContractBook({
    store: verified,
    compilers: npmCompiler,
    limits,
    abis: noAbis,
    clock: systemClock,
  })
  const { signal } = new AbortController()
  const answers = recording.answers()
  const chain: ServedChain = {
    // As the node answered when it was recorded.
    rpc: {
      logBytes: 1_048_576,
      allows: allowedMethods(['read']),
      call: async (calls, signal) => {
        signal.throwIfAborted()
        return calls.map(({ method, params: [target] }) => {
          const recorded = answers.get(`${method} ${String(target).toLowerCase()}`)
          return recorded?.kind === 'value'
            ? { kind: 'result', result: recorded.value }
            : { kind: 'error', error: { code: -32_602, message: 'missing value' } }
        })
      },
    },
    facts: demoFacts(contractChain, recording),
    store,
    state: createStateReader(recording),
    wantsTraces: true,
    isFollowed: (): boolean => true,
    traces: (height: number): Promise<readonly unknown[]> =>
      recording.traces(
        { from: height, until: height + 1 },
        ([block]) => (Array.isArray(block) ? block : []),
        signal,
      ),
    block: (height) =>
      recording.blocks({ from: height, until: height + 1 }, ([unit]) => unit, signal),
  }
  const service = await startEvmService({
    chains: [],
    parts: {
      chains: createChainDirectory(() => [chain]),
      contracts: book,
      addressBooks: createRichAddressBooks(hasty, noTokenNotes, book.names),
      methodNames: createMethodNames([], book.methods),
    },
  })
  after(async () => {
    await service.close()
    await store.close()
    await verified.close()
    rmSync(dataDir, { recursive: true })
  })
  return { ...service, book }
}

/** Sends a form to the Etherscan form of the chain and gives its answer. */
export async function sendForm(
  { url }: EvmService,
  fields: Readonly<Record<string, string>>,
): Promise<{ readonly status: string; readonly message: string; readonly result: string }> {
  const reply = await fetch(`${url}/v1/chains/${contractChain}/api`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  const body: unknown = await reply.json()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is wrong in it fails the test
  return body as { status: string; message: string; result: string }
}
