/**
 * Makes a recording of a chain from its nodes: blocks, traces, and the state that the API reads
 * for after the last block.
 *
 * Written part by part, so that a recording cut off is still one of the blocks it holds.
 */

import { noAddress } from '../../codec/evm/columns/column-kinds.ts'
import type { BlockBatch, TraceBatch } from '../../codec/evm/columns/columns.ts'
import { decodeBlocks } from '../../codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../codec/evm/decode-traces.ts'
import type { RawUnit } from '../../codec/evm/raw.ts'
import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { u32At, u8At } from '../../core/item-at.ts'
import type { Log } from '../../telemetry/log.ts'
import type { ChainIdentity, EvmSource, HeightRange } from '../evm-source.ts'
import { openingBytes, partBytes, partKinds, type RecordingHeader } from './recording-file.ts'
import { stateKey } from './recording.ts'
import { StateQuestions } from './state-questions.ts'

type RecordOptions = {
  readonly source: EvmSource
  readonly name: string
  readonly symbol: string
  /** First height; 0 when absent. A later one is replayed with the setting `startHeight`. */
  readonly from?: number
  /** First height that is not recorded; the head is the last one when absent. */
  readonly until?: number | undefined
  /** True when to record traces; when absent, if there are any. */
  readonly traces?: boolean | undefined
  /** zstd level, 1 to 22. */
  readonly level: number
  /** Appends to the file. */
  readonly write: (bytes: Uint8Array) => Promise<void>
  readonly log: Log
  readonly signal: AbortSignal
}

/** Result of a recording. */
export type Recorded = {
  readonly blocks: number
  readonly traced: boolean
  readonly answers: number
}

/** Blocks of a part: a replay unpacks a part as a whole. */
const blocksPerPart = 64

/** Calls sent in one read of state. */
const callsPerRead = 500

/**
 * Records heights `[from, until)` as far as they are there. Faults are those of the source;
 * `bad-parameter` for a range that holds nothing, `node-refused` when traces are wanted that no
 * endpoint gives.
 */
export async function recordChain(options: RecordOptions): Promise<Recorded> {
  const { source, signal, level, log, write } = options
  const identity = await source.identity(signal)
  const first = options.from ?? 0
  const until = Math.min(options.until ?? Infinity, (await source.headHeight(signal)) + 1)
  if (first >= until)
    throw new Fault('bad-parameter', `there is nothing to record from ${first} until ${until}`)
  const traced = options.traces ?? (await source.hasTraces(signal))
  if (traced && options.traces === true && !(await source.hasTraces(signal)))
    throw new Fault('node-refused', 'no endpoint offers debug_traceBlockByNumber')
  await write(openingBytes(headerOf(options, identity, first), level))
  const questions = new StateQuestions()
  for (let from = first; from < until; from += blocksPerPart) {
    const range = { from, until: Math.min(from + blocksPerPart, until) }
    await recordBlocks(options, range, questions)
    if (traced) await recordTraces(options, range, questions)
    log.info('blocks recorded', { until: range.until - 1 })
  }
  const answers = await recordState(options, questions, until - 1)
  return { blocks: until - first, traced, answers }
}

function headerOf(
  { name, symbol }: RecordOptions,
  { chainId, blockchainId, nodeVersion, genesisHash }: ChainIdentity,
  first: number,
): RecordingHeader {
  return {
    chainId,
    name,
    symbol,
    nodeVersion,
    blockchainId,
    // Block 0 says it itself where it is recorded.
    genesisHash: first === 0 ? undefined : genesisHash,
  }
}

async function recordBlocks(
  { source, level, write, signal }: RecordOptions,
  range: HeightRange,
  questions: StateQuestions,
): Promise<void> {
  const lines: string[] = []
  for (let from = range.from; from < range.until;) {
    const read = await source.blocks(
      { from, until: range.until },
      (units) => {
        const batch = decodeBlocks(from, units, (bytes) => bytes)
        return { batch, units: units.slice(0, batch.until - from) }
      },
      signal,
    )
    lines.push(...read.units.map(lineOf))
    noteBlocks(questions, read.batch)
    from = read.batch.until
  }
  await write(partBytes({ kind: partKinds.blocks, ...range }, lines, level))
}

async function recordTraces(
  { source, level, write, signal }: RecordOptions,
  range: HeightRange,
  questions: StateQuestions,
): Promise<void> {
  const lines: string[] = []
  for (let from = range.from; from < range.until;) {
    const read = await source.traces(
      { from, until: range.until },
      (blocks) => ({ batch: decodeTraces(from, blocks), blocks }),
      signal,
    )
    lines.push(...read.blocks.map((block) => JSON.stringify(block)))
    // Most frames are not kept when decoded; whoever they call has a balance all the same.
    for (const line of lines.slice(-read.blocks.length)) noteAddresses(questions, line)
    noteTraces(questions, read.batch)
    from = read.batch.until
  }
  await write(partBytes({ kind: partKinds.traces, ...range }, lines, level))
}

async function recordState(
  { source, level, write, log, signal }: RecordOptions,
  questions: StateQuestions,
  height: number,
): Promise<number> {
  // A node that does not offer one method answers the others.
  const calls = [...Map.groupBy(questions.calls(), ({ method }) => method).values()]
  const reads = calls.flatMap((alike) =>
    Array.from({ length: Math.ceil(alike.length / callsPerRead) }, (_, at) =>
      alike.slice(at * callsPerRead, (at + 1) * callsPerRead),
    ),
  )
  const lines: string[] = []
  for (const some of reads) {
    const answers = await source.state(some, height, signal)
    for (const [index, call] of some.entries()) {
      const answer = answers[index]
      if (answer?.kind === 'value') lines.push(JSON.stringify([stateKey(call), answer.value]))
      else if (answer?.kind === 'reverted') lines.push(JSON.stringify([stateKey(call)]))
    }
    log.info('state recorded', { answers: lines.length, of: reads.flat().length })
  }
  await write(partBytes({ kind: partKinds.state, from: 0, until: 0 }, lines, level))
  return lines.length
}

function lineOf({ block, receipts }: RawUnit): string {
  return JSON.stringify({ block, receipts })
}

function noteBlocks(questions: StateQuestions, batch: BlockBatch): void {
  for (let at = 0; at < batch.addresses.length; at += 20)
    questions.address(batch.addresses.subarray(at, at + 20))
  for (const created of batch.txs.created)
    if (created !== noAddress) questions.contract(addressAt(batch, created))
  const { transfers, arena } = batch
  for (let row = 0; row < transfers.count; row++) {
    const offset = u32At(transfers.tokenId.offset, row)
    questions.transfer({
      kind: u8At(transfers.kind, row),
      token: addressAt(batch, u32At(transfers.token, row)),
      holders: [
        addressAt(batch, u32At(transfers.from, row)),
        addressAt(batch, u32At(transfers.to, row)),
      ],
      tokenId: arena.subarray(offset, offset + u32At(transfers.tokenId.length, row)),
    })
  }
}

/** Callers and callees of all frames of a line of traces. */
function noteAddresses(questions: StateQuestions, line: string): void {
  for (const [, digits = ''] of line.matchAll(/"(?:from|to)":"0x([0-9a-fA-F]{40})"/g))
    questions.address(fromHex(digits))
}

function noteTraces(questions: StateQuestions, batch: TraceBatch): void {
  const { frames } = batch
  for (let row = 0; row < frames.count; row++) {
    const to = frames.to[row] ?? noAddress
    const creates = frames.kind[row] !== 1 && frames.kind[row] !== 5
    if (creates && to !== noAddress) questions.contract(addressAt(batch, to))
  }
}

function addressAt(batch: BlockBatch | TraceBatch, id: number): Uint8Array {
  return batch.addresses.subarray(id * 20, id * 20 + 20)
}
