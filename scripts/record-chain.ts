/**
 * Records a chain from a node: blocks, traces where the node gives them, and what it says after the last
 * block of every address, contract and token seen.
 *
 *     node scripts/record-chain.ts <RPC address> <file to write> <name of the chain> <symbol of its coin>
 *
 * Written part by part, so that a recording cut off is still one of the blocks it holds.
 */

import { appendFile, writeFile } from 'node:fs/promises'

import { balanceOfData, wordOf } from '../src/codec/evm/abi/abi.ts'
import { proxyCalls, proxySlots } from '../src/codec/evm/abi/selectors.ts'
import { noAddress } from '../src/codec/evm/columns/column-kinds.ts'
import {
  type BlockBatch,
  type TraceBatch,
  transferKinds,
} from '../src/codec/evm/columns/columns.ts'
import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import { decodeTraces } from '../src/codec/evm/decode-traces.ts'
import { to0x, toHex } from '../src/core/bytes.ts'
import { keccak256 } from '../src/core/hash.ts'
import { u32At, u8At } from '../src/core/item-at.ts'
import { blockchainIdCall } from '../src/source/blockchain-id.ts'
import type { EvmSource, HeightRange, StateCall } from '../src/source/evm-source.ts'
import { openNodeSource } from '../src/source/evm/node-source.ts'
import { partKinds } from '../src/source/recorded/recording-file.ts'
import { stateKey } from '../src/source/recorded/recording.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { openWorld } from '../src/world/world.ts'
import { openingBytes, partBytes } from './recording-bytes.ts'

type RecordOptions = {
  readonly source: EvmSource
  readonly name: string
  readonly symbol: string
  /** First height; 0 when absent. A later one is replayed with the setting `startHeight`. */
  readonly from?: number
  /** First height that is not recorded; the head is the last one when absent. */
  readonly until?: number
  /** Signatures of methods without arguments that every contract is asked: `token()`. */
  readonly getters?: readonly string[]
  /** Appends to the file. */
  readonly write: (bytes: Uint8Array) => Promise<void>
  readonly signal: AbortSignal
}

/** Blocks of a part: a replay unpacks a part as a whole. */
const blocksPerPart = 64

/** Calls sent in one read of state. */
const callsPerRead = 500

/** Selectors. Source: ERC-20, ERC-165, ERC-721, ERC-1155. */
const selectors = {
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
  supportsInterface: '0x01ffc9a7',
  tokenUri: '0xc87b56dd',
  ownerOf: '0x6352211e',
  uri: '0x0e89341c',
} as const
const interfaces = ['01ffc9a7', 'ffffffff', '80ac58cd', 'd9b67a26', '5b5e139f', '0e89341c']

/** Records heights `[from, until)` as far as they are there; the number of blocks and of answers about state. */
export async function recordChain(
  options: RecordOptions,
): Promise<{ readonly blocks: number; readonly answers: number }> {
  const { source, signal, write, name, symbol, from: first = 0 } = options
  const { chainId, blockchainId, nodeVersion, genesisHash } = await source.identity(signal)
  const until = Math.min(options.until ?? Infinity, (await source.headHeight(signal)) + 1)
  if (first >= until) throw new Error(`there is nothing to record from ${first} until ${until}`)
  // Block 0 says its hash itself where it is recorded.
  const genesis = first === 0 ? {} : { genesisHash }
  await write(openingBytes({ chainId, name, symbol, nodeVersion, blockchainId, ...genesis }))
  const questions = new StateQuestions(options.getters ?? [])
  const traced = await source.hasTraces(signal)
  for (let from = first; from < until; from += blocksPerPart) {
    const range = { from, until: Math.min(from + blocksPerPart, until) }
    await recordBlocks(options, range, questions)
    if (traced) await recordTraces(options, range, questions)
  }
  return { blocks: until - first, answers: await recordState(options, questions, until - 1) }
}

async function recordBlocks(
  { source, write, signal }: RecordOptions,
  range: HeightRange,
  questions: StateQuestions,
): Promise<void> {
  const lines = await linesOfRange(range, async (rest) => {
    const { units, batch } = await source.blocks(
      rest,
      (all) => {
        const batch = decodeBlocks(rest.from, all, (bytes) => bytes)
        return { batch, units: all.slice(0, batch.until - rest.from) }
      },
      signal,
    )
    noteBlocks(questions, batch)
    const lines = units.map(({ block, receipts }) => JSON.stringify({ block, receipts }))
    return { lines, until: batch.until }
  })
  await write(partBytes({ kind: partKinds.blocks, ...range }, lines))
}

async function recordTraces(
  { source, write, signal }: RecordOptions,
  range: HeightRange,
  questions: StateQuestions,
): Promise<void> {
  const lines = await linesOfRange(range, async (rest) => {
    const { blocks, batch } = await source.traces(
      rest,
      (blocks) => ({ batch: decodeTraces(rest.from, blocks), blocks }),
      signal,
    )
    const lines = blocks.map((block) => JSON.stringify(block))
    // Most frames are not kept when decoded; whoever they call has a balance all the same.
    for (const line of lines)
      for (const [, address = ''] of line.matchAll(/"(?:from|to)":"(0x[0-9a-fA-F]{40})"/g))
        questions.address(address.toLowerCase())
    noteTraces(questions, batch)
    return { lines, until: batch.until }
  })
  await write(partBytes({ kind: partKinds.traces, ...range }, lines))
}

/** Lines of a whole range, of which a node gives as much at once as it likes. */
async function linesOfRange(
  range: HeightRange,
  read: (rest: HeightRange) => Promise<{ readonly lines: string[]; readonly until: number }>,
): Promise<string[]> {
  const all: string[] = []
  for (let { from } = range; from < range.until;) {
    const { lines, until } = await read({ from, until: range.until })
    all.push(...lines)
    from = until
  }
  return all
}

async function recordState(
  { source, write, signal }: RecordOptions,
  questions: StateQuestions,
  height: number,
): Promise<number> {
  const lines: string[] = []
  // A node that does not offer one method answers the others.
  for (const alike of Map.groupBy(questions.calls(), ({ method }) => method).values())
    for (let at = 0; at < alike.length; at += callsPerRead) {
      const calls = alike.slice(at, at + callsPerRead)
      const answers = await source.state(calls, height, signal)
      for (const [index, call] of calls.entries()) {
        const answer = answers[index]
        if (answer?.kind === 'value') lines.push(JSON.stringify([stateKey(call), answer.value]))
        else if (answer?.kind === 'reverted') lines.push(JSON.stringify([stateKey(call)]))
      }
    }
  await write(partBytes({ kind: partKinds.state, from: 0, until: 0 }, lines))
  return lines.length
}

function noteBlocks(questions: StateQuestions, batch: BlockBatch): void {
  for (let id = 0; id < batch.addresses.length / 20; id++) questions.address(addressAt(batch, id))
  for (const created of batch.txs.created)
    if (created !== noAddress) questions.contract(addressAt(batch, created))
  const { transfers, arena } = batch
  for (let row = 0; row < transfers.count; row++) {
    const offset = u32At(transfers.tokenId.offset, row)
    const holders = [transfers.from, transfers.to].map((side) => addressAt(batch, u32At(side, row)))
    questions.transfer(u8At(transfers.kind, row), addressAt(batch, u32At(transfers.token, row)), {
      holders,
      tokenId: arena.subarray(offset, offset + u32At(transfers.tokenId.length, row)),
    })
  }
}

function noteTraces(questions: StateQuestions, batch: TraceBatch): void {
  const { frames } = batch
  for (let row = 0; row < frames.count; row++) {
    const to = frames.to[row] ?? noAddress
    const creates = frames.kind[row] !== 1 && frames.kind[row] !== 5
    if (creates && to !== noAddress) questions.contract(addressAt(batch, to))
  }
}

function addressAt(batch: BlockBatch | TraceBatch, id: number): string {
  return to0x(batch.addresses.subarray(id * 20, id * 20 + 20))
}

/** Collects questions about state, each once. Addresses are lower-case `0x` hex. */
class StateQuestions {
  readonly #calls = new Map<string, StateCall>()
  readonly #getters: readonly string[]

  constructor(getters: readonly string[]) {
    this.#getters = getters.map((signature) =>
      to0x(keccak256(Buffer.from(signature)).subarray(0, 4)),
    )
    this.#call(blockchainIdCall.to, blockchainIdCall.data)
  }

  /** An address that was seen: its native balance. */
  address(target: string): void {
    this.#add({ method: 'eth_getBalance', target })
  }

  /** A contract that was created: its code, what it hands calls on to, and what its getters say. */
  contract(target: string): void {
    this.#add({ method: 'eth_getCode', target })
    for (const slot of proxySlots)
      this.#add({ method: 'eth_getStorageAt', target, slot: to0x(slot) })
    for (const call of Object.values(proxyCalls)) this.#call(target, to0x(call))
    for (const selector of this.#getters) this.#call(target, selector)
  }

  /** A transfer of a kind of `transferKinds`: what its token is, and who holds what of it. */
  transfer(
    kind: number,
    token: string,
    of: { readonly holders: readonly string[]; readonly tokenId: Uint8Array },
  ): void {
    for (const name of ['name', 'symbol', 'decimals', 'totalSupply'] as const)
      this.#call(token, selectors[name])
    for (const id of interfaces)
      this.#call(token, `${selectors.supportsInterface}${id}${'0'.repeat(56)}`)
    const { erc20, deposit, withdrawal } = transferKinds
    if (kind === erc20 || kind === deposit || kind === withdrawal) {
      for (const holder of of.holders) this.#call(token, balanceOfData(holder.slice(2)))
      return
    }
    const id = wordOf(toHex(of.tokenId))
    for (const name of ['tokenUri', 'ownerOf', 'uri'] as const)
      this.#call(token, `${selectors[name]}${id}`)
  }

  calls(): StateCall[] {
    return [...this.#calls.values()]
  }

  #call(to: string, data: string): void {
    this.#add({ method: 'eth_call', target: { to, data } })
  }

  #add(call: StateCall): void {
    this.#calls.set(stateKey(call), call)
  }
}

/** Records the chain of the node at `url` into a new file. */
export async function recordNode(
  url: string,
  file: string | URL,
  { name, symbol, getters }: Pick<RecordOptions, 'name' | 'symbol' | 'getters'>,
): Promise<void> {
  const world = openWorld()
  const source = openNodeSource({
    world,
    log: silentLog,
    urls: [url],
    expected: {},
    timeoutMs: 30_000,
    traceTimeoutMs: 60_000,
    maxInFlight: 8,
    maxReplyBytes: 67_108_864,
  })
  await writeFile(file, '')
  const { blocks, answers } = await recordChain({
    source,
    name,
    symbol,
    getters: getters ?? [],
    write: (bytes) => appendFile(file, bytes),
    signal: AbortSignal.timeout(86_400_000),
  })
  console.log(`${String(file)}: ${blocks} blocks, ${answers} answers about state`)
  await world.close()
}

if (import.meta.main) {
  const [url = '', file = '', name = '', symbol = ''] = process.argv.slice(2)
  await recordNode(url, file, { name, symbol })
}
