/**
 * A recording as a source: replays blocks, traces and state answers by range, without a network.
 *
 * State is known only after the last recorded block and only for what the recorder requested;
 * everything else is `not-served`, never a guess.
 */

import { balanceOfSelector } from '../../codec/evm/abi/abi.ts'
import { objectOf, type RawBlock, type RawUnit } from '../../codec/evm/raw.ts'
import { setBounded } from '../../core/bounded-maps.ts'
import { Fault } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'
import { releasedBlocks } from '../../core/recorded-time.ts'
import type { Clock } from '../../core/world.ts'
import type {
  ChainIdentity,
  EvmSource,
  HeightRange,
  StateAnswer,
  StateCall,
} from '../evm-source.ts'
import {
  linesOf,
  listParts,
  partKinds,
  type Part,
  type RecordingHeader,
  valueOfLine,
} from './recording-file.ts'

/** A source that also gives what its header says. */
export type Recording = EvmSource & {
  readonly header: RecordingHeader
  /** Recorded heights. */
  readonly heights: HeightRange
  /** All state answers by {@link stateKey}. */
  readonly answers: () => ReadonlyMap<string, StateAnswer>
  /** True when traces of every recorded height are there. */
  readonly traced: boolean
}

/** Parts of blocks among which those lie that are held back. */
const heldParts = 3

/** Unpacked parts kept: one being read by blocks, one by traces, and their successors. */
const maxKept = 4

/**
 * Opens the recording in `file`; with `clock` blocks are held back until that has reached their
 * times. Throws `bad-bytes`.
 */
export function openRecording(file: Uint8Array, clock?: Clock): Recording {
  const parts = listParts(file)
  const header = headerOf(file, parts)
  const blocks = seriesOf(parts, partKinds.blocks)
  const traces = seriesOf(parts, partKinds.traces)
  const reader = new PartReader(file)
  // Most of a start's time with a recording went here, in threads that never read state.
  let known: ReadonlyMap<string, StateAnswer> | undefined
  const answers = (): ReadonlyMap<string, StateAnswer> => (known ??= stateOf(file, parts))
  let identity: ChainIdentity | undefined
  const heights = { from: blocks[0]?.from ?? 0, until: blocks.at(-1)?.until ?? 0 }
  const traced = heights.until > heights.from && (traces.at(-1)?.until ?? 0) >= heights.until
  const series = { blocks, traces: traced ? traces : [], reader, last: heights.until - 1 }
  const { head, rest } = heldBack(series, clock)
  const state = (calls: readonly StateCall[], height: number | 'latest'): StateAnswer[] => {
    const later = rest(height)
    // What no later block touches is at the end as it was then.
    const isSame = (call: StateCall): boolean =>
      later.length > 0 && !(mayChange(call) && later.some((line) => line.includes(addressOf(call))))
    return calls.map((call) =>
      answerOf(answers(), call, isSame(call) ? series.last : height, series.last),
    )
  }
  let distrusted: string | undefined
  const trusted = (): void => {
    if (distrusted !== undefined) throw new Fault('source-mismatch', distrusted)
  }
  return {
    header,
    heights,
    traced,
    answers,
    identity: async () => (identity ??= identityOf(header, () => reader.lines(blocks, 0))),
    headHeight: async () => head(),
    unitBlocks: () => 64,
    window: () => 2,
    blocks: async (range, decode) => {
      trusted()
      return decode(reader.range(blocks, range).map(unitOf), 'recording')
    },
    hasTraces: async () => traced,
    traces: async (range, decode) =>
      decode(reader.range(traces, range).map(valueOfLine), 'recording'),
    tracesSince: async ({ from }) => (traced ? from : undefined),
    state: async (calls, height) => state(calls, height),
    stateTwice: async (calls, height) => [state(calls, height)],
    distrust: (_, reason) => {
      distrusted = reason
    },
    // There is no other to use, and it will say the same again.
    doubt: (_, reason) => {
      distrusted = reason
    },
    endpoints: () => [
      { name: 'recording', state: 'up', height: head(), latencyMs: 0, inFlight: 0, window: 2 },
    ],
  }
}

/** Key of a state answer: method and parameters, letter case of hex ignored. */
export function stateKey({ method, target, slot = '' }: StateCall): string {
  // What nobody sends is a question: its answer is the same whatever limit it has.
  const words =
    typeof target === 'string'
      ? [target, slot]
      : [
          target.to ?? '',
          target.data,
          target.from ?? '',
          target.value ?? '',
          (target.from && target.gas) ?? '',
        ]
  return `${method} ${words.join(' ').toLowerCase()}`.trimEnd()
}

/** Selectors of totalSupply(), ownerOf() and balanceOf(): what tokens call themselves stays. */
const changing = ['0x18160ddd', '0x6352211e', balanceOfSelector]

/** Returns whether later blocks may change the answer. */
function mayChange({ method, target }: StateCall): boolean {
  return typeof target === 'string'
    ? method === 'eth_getBalance'
    : changing.some((selector) => target.data.startsWith(selector))
}

/** Unpacks parts as they are needed and keeps the last few. */
class PartReader {
  readonly #file: Uint8Array
  readonly #kept = new Map<Part, readonly string[]>()

  constructor(file: Uint8Array) {
    this.#file = file
  }

  lines(series: readonly Part[], height: number): readonly string[] {
    const part = series.find(({ from, until }) => from <= height && height < until)
    if (part === undefined)
      throw new Fault('node-not-yet', `height is not in the recording: ${height}`)
    const kept = this.#kept.get(part)
    if (kept !== undefined) return kept
    const lines = linesOf(this.#file, part)
    if (lines.length !== part.until - part.from)
      throw new Fault('bad-bytes', `a part of the recording misses lines at height ${part.from}`)
    setBounded(this.#kept, part, lines, maxKept)
    return lines
  }

  range(series: readonly Part[], range: HeightRange): string[] {
    const found: string[] = []
    for (let height = range.from; height < range.until; height++) {
      const part = series.find(({ from, until }) => from <= height && height < until)
      const line = this.lines(series, height)[height - (part?.from ?? 0)]
      if (line !== undefined) found.push(line)
    }
    return found
  }
}

type Series = {
  readonly blocks: readonly Part[]
  readonly traces: readonly Part[]
  readonly reader: PartReader
  readonly last: number
}

/**
 * The newest block that is there at `clock`, and the lines of all blocks after a height, lower
 * case.
 */
function heldBack(
  { blocks, traces, reader, last }: Series,
  clock: Clock | undefined,
): {
  readonly head: () => number
  readonly rest: (height: number | 'latest') => readonly string[]
} {
  if (clock === undefined) return { head: () => last, rest: () => [] }
  // Those that may be held back, read when the head is first read.
  let newest: readonly number[] | undefined
  const head = (): number => {
    newest ??= timesOf(blocks.slice(-heldParts), reader)
    return last - newest.length + releasedBlocks(newest, clock)
  }
  const rest = (height: number | 'latest'): readonly string[] => {
    const range = { from: (height === 'latest' ? head() : height) + 1, until: last + 1 }
    // Of older states nothing is known.
    if (range.until - range.from > heldParts * 64) return []
    const lines = [
      ...reader.range(blocks, range),
      ...(traces.length > 0 ? reader.range(traces, range) : []),
    ]
    return lines.map((line) => line.toLowerCase())
  }
  return { head, rest }
}

/** Times of the blocks of `parts`, oldest first, Unix seconds. */
function timesOf(parts: readonly Part[], reader: PartReader): number[] {
  return parts.flatMap((part) =>
    reader.lines([part], part.from).map((line) => Number(unitOf(line).block?.['timestamp'])),
  )
}

/** The address that a call is about, lower case. */
function addressOf({ target }: StateCall): string {
  return (typeof target === 'string' ? target : (target.to ?? '')).toLowerCase()
}

/** Times of the newest blocks of the recording in `file`, oldest first, Unix seconds. */
export function newestTimes(file: Uint8Array): number[] {
  return timesOf(
    seriesOf(listParts(file), partKinds.blocks).slice(-heldParts),
    new PartReader(file),
  )
}

function seriesOf(parts: readonly Part[], kind: number): Part[] {
  const series = parts.filter((part) => part.kind === kind)
  for (let at = 1; at < series.length; at++)
    if (series[at]?.from !== series[at - 1]?.until)
      throw new Fault('bad-bytes', `the recording has a gap at height ${series[at]?.from}`)
  return series
}

function headerOf(file: Uint8Array, parts: readonly Part[]): RecordingHeader {
  const part = parts.find(({ kind }) => kind === partKinds.header)
  if (part === undefined) throw new Fault('bad-bytes', 'the recording has no header')
  const header = objectOf(valueOfLine(linesOf(file, part)[0] ?? ''), 'header of the recording')
  const { chainId, name, symbol, nodeVersion, blockchainId, genesisHash } = header
  if (
    typeof chainId !== 'number' ||
    typeof name !== 'string' ||
    typeof symbol !== 'string' ||
    typeof nodeVersion !== 'string'
  )
    throw new Fault('bad-bytes', 'the header of the recording is incomplete')
  return {
    chainId,
    name,
    symbol,
    nodeVersion,
    blockchainId: typeof blockchainId === 'string' ? blockchainId : undefined,
    genesisHash: typeof genesisHash === 'string' ? genesisHash : undefined,
  }
}

function identityOf(header: RecordingHeader, firstLines: () => readonly string[]): ChainIdentity {
  const hash = header.genesisHash ?? unitOf(firstLines()[0] ?? '').block.hash
  if (typeof hash !== 'string') throw new Fault('bad-bytes', 'the recording has no genesis block')
  const about = { chainId: header.chainId, genesisHash: hash, nodeVersion: header.nodeVersion }
  return header.blockchainId === undefined ? about : { ...about, blockchainId: header.blockchainId }
}

function stateOf(file: Uint8Array, parts: readonly Part[]): ReadonlyMap<string, StateAnswer> {
  const answers = new Map<string, StateAnswer>()
  for (const part of parts) {
    if (part.kind !== partKinds.state) continue
    for (const line of linesOf(file, part)) {
      const [key, value] = pairOf(line)
      answers.set(key, value === undefined ? { kind: 'reverted' } : { kind: 'value', value })
    }
  }
  return answers
}

/** A line of a state part: `[key, value]`, or `[key]` for a revert. */
function pairOf(line: string): readonly [string, string | undefined] {
  const pair = valueOfLine(line)
  if (!Array.isArray(pair)) throw new Fault('bad-bytes', 'a state answer is not a list')
  const key: unknown = pair[0]
  const value: unknown = pair[1]
  if (typeof key !== 'string' || (value !== undefined && typeof value !== 'string'))
    throw new Fault('bad-bytes', 'a state answer is not text')
  return [key, value]
}

function answerOf(
  state: ReadonlyMap<string, StateAnswer>,
  call: StateCall,
  height: number | 'latest',
  last: number,
): StateAnswer {
  if (height !== 'latest' && height !== last)
    return { kind: 'not-served', reason: `the recording has state at height ${last} only` }
  return state.get(stateKey(call)) ?? unrecorded(call)
}

function unrecorded({ method, target }: StateCall): StateAnswer {
  const whose = typeof target === 'string' ? target : (target.to ?? 'a creation')
  return { kind: 'not-served', reason: `the recording does not hold ${wanted[method]} ${whose}` }
}

const wanted: Readonly<Record<StateCall['method'], string>> = {
  eth_getBalance: 'the balance of',
  eth_getCode: 'the code of',
  eth_getStorageAt: 'the storage of',
  eth_call: 'an answer of',
}

function unitOf(line: string): RawUnit {
  const unit = objectOf(valueOfLine(line), 'recorded block')
  const block: unknown = unit['block']
  const receipts: unknown = unit['receipts']
  if (!isObject(block) || !Array.isArray(receipts))
    throw new Fault('bad-bytes', 'a recorded block is incomplete')
  const header: RawBlock = block
  return { block: header, receipts }
}
