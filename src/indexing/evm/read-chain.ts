/**
 * Reads one EVM chain: blocks and, beside them, traces, each through a pipeline of its own.
 *
 * Traces never hold the head back: they follow what blocks have committed. Runs in the decoder
 * thread; `ChainWriter` is the way to the writer. When the store fails, both begin again where its
 * rows end: whether the batch under way was stored is asked, not guessed.
 */

import type { BlockBatch } from '../../codec/evm/columns.ts'
import { decodeBlocks } from '../../codec/evm/decode-blocks.ts'
import type { Compress } from '../../codec/evm/decode-blocks.ts'
import { mergeBlocks, sizeOf } from '../../codec/evm/merge-batches.ts'
import { equalBytes, fromHex } from '../../core/bytes.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import type { Clock, World } from '../../core/world.ts'
import type { ChainIdentity, EvmSource } from '../../source/evm-source.ts'
import type { Log } from '../../telemetry/log.ts'
import type { ChainSpec, ResumePoint } from '../chain-spec.ts'
import { Pipeline } from '../pipeline.ts'
import type { PipelineLimits } from '../pipeline.ts'
import { idleStatus } from '../stage.ts'
import type { StageStatus } from '../stage.ts'
import { BlockChecks } from './block-checks.ts'
import type { Unchecked } from './block-checks.ts'
import { TraceReader, type TraceWriter } from './read-traces.ts'

/** The writer of one chain, as its reader sees it. */
export type ChainWriter = TraceWriter & {
  /**
   * Opens the store for this chain, the first time; tells where its rows end once all that was
   * handed over before is done. Throws `source-mismatch` when it holds another chain.
   */
  readonly begin: (identity: ChainIdentity) => Promise<ResumePoint>
  /** Resolves when committed. */
  readonly blocks: (batch: BlockBatch, headHeight: number) => Promise<void>
}

/** What reading a chain needs. */
export type ReadChainParts = {
  readonly spec: ChainSpec
  readonly source: EvmSource
  readonly writer: ChainWriter
  readonly world: World
  readonly log: Log
  readonly compress: Compress
  readonly limits: PipelineLimits
  /** Far behind the head one block in so many is checked; 1: every one. */
  readonly checkEvery: number
  /** Told when {@link ChainReader.stages} may have changed. */
  readonly changed: () => void
}

/** Pause between looks for a new block at the head, and while far behind. */
const headPollMs = 250
const behindPollMs = 1_000
/** After so many in a row a chain is no longer called live: one alone is ordinary. */
const headFailures = 2

/** The newest blocks, which are checked even where samples of others are enough. */
const headBlocks = 8

/** Pauses between tries to reach a chain, or to write its store. */
const firstPauseMs = 500
const longestPauseMs = 10_000

/** Reads one chain until it is told to end. */
export class ChainReader {
  readonly #parts: ReadChainParts
  readonly #checks: BlockChecks
  #blocks: Pipeline<BlocksPiece> | undefined
  readonly #traces: TraceReader
  /** What the blocks are while they have no pipeline. */
  #blocksStatus: StageStatus = idleStatus('blocks')

  constructor(parts: ReadChainParts) {
    this.#parts = parts
    const { log, source, checkEvery } = parts
    this.#checks = new BlockChecks({ log, checkEvery, endpoints: () => source.endpoints() })
    this.#traces = new TraceReader(parts)
  }

  stages(): readonly StageStatus[] {
    return [this.#blocks?.status() ?? this.#blocksStatus, this.#traces.status()]
  }

  /** Blocks taken without a check that is not known to hold on this chain. */
  unchecked(): Unchecked {
    return this.#checks.unchecked()
  }

  /** Ends when the signal is aborted, or when the chain stops; its status then says why. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, changed } = this.#parts
    try {
      await this.#tried(() => this.#readAll(signal), signal)
    } catch (error) {
      if (signal.aborted) return
      const fault = faultOf(error)
      const reason = fault?.message ?? 'internal error'
      this.#blocksStatus = stoppedAt(this.#blocksStatus, reason)
      log.error('chain stopped', { reason, ...(fault === undefined ? { error } : fault.detail) })
      changed()
    }
  }

  /** Goes on where the rows end, until the signal is aborted or something fails. */
  async #readAll(signal: AbortSignal): Promise<void> {
    const { source, writer, log } = this.#parts
    const identity = await source.identity(signal)
    const resume = await writer.begin(identity)
    log.info('chain opened', { chainId: identity.chainId, from: resume.blocksFrom })
    const ending = new AbortController()
    const inner = AbortSignal.any([signal, ending.signal])
    const blocks = blocksPipeline({ ...this.#parts, checks: this.#checks }, resume, () =>
      this.#traces.setHead(blocks.committed),
    )
    this.#blocks = blocks
    const all = [
      blocks.run(inner),
      this.#watchHead(blocks, inner),
      this.#traces.run(resume.tracesFrom, inner),
    ]
    try {
      await Promise.all(all)
    } finally {
      ending.abort(new Fault('node-unreachable', 'the chain ended'))
      await Promise.allSettled(all)
      if (!signal.aborted) this.#leavePipelines()
    }
  }

  /** Keeps what the stages were for the time until they begin again. */
  #leavePipelines(): void {
    this.#blocksStatus = waitingAt(this.#blocks?.status() ?? this.#blocksStatus)
    this.#blocks = undefined
    this.#traces.rest()
  }

  /** Tries until it works or can never work. */
  async #tried<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { log, changed, world } = this.#parts
    for (let tries = 0; ; tries++) {
      const beganMs = world.clock.monotonic()
      try {
        return await work()
      } catch (error) {
        const fault = faultOf(error)
        if (signal.aborted || fault === undefined || !fault.retryable) throw error
        this.#blocksStatus = { ...this.#blocksStatus, reason: fault.message }
        log.warn('chain waits', { code: fault.code, reason: fault.message })
        changed()
        // What went well for a while fails for another reason.
        if (world.clock.monotonic() - beganMs > longestPauseMs) tries = 0
        const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(tries, 10))
        await world.clock.sleep(pauseMs, signal)
      }
    }
  }

  async #watchHead(blocks: Pipeline<BlocksPiece>, signal: AbortSignal): Promise<void> {
    const { source, world, log } = this.#parts
    let failures = 0
    while (!signal.aborted) {
      try {
        blocks.setHead(await source.headHeight(signal))
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        const fault = faultOf(error)
        if (fault === undefined || fault.code === 'source-mismatch') throw error
        log.debug('head is not known', { code: fault.code })
        if (++failures >= headFailures) blocks.loseHead(fault.message)
      }
      blocks.tick()
      this.#traces.tick()
      const pauseMs = blocks.status().state === 'live' ? headPollMs : behindPollMs
      await slept(world.clock, pauseMs, signal)
    }
  }
}

/** The last status of a stage that begins again. */
function waitingAt(last: StageStatus): StageStatus {
  const { stage, indexedHeight, headHeight } = last
  return { stage, indexedHeight, headHeight, blocksPerSecond: 0, state: 'syncing' }
}

/** The last status of a stage that does not go on. */
function stoppedAt(last: StageStatus, reason: string): StageStatus {
  const { stage, indexedHeight, headHeight } = last
  return { stage, indexedHeight, headHeight, blocksPerSecond: 0, state: 'stopped', reason }
}

/** Sleeps; an abort ends it early and is no error. */
async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** A decoded range and the endpoint that told it. */
type BlocksPiece = {
  readonly from: number
  readonly until: number
  readonly batch: BlockBatch
  readonly origin: string
}

function blocksPipeline(
  parts: ReadChainParts & { readonly checks: BlockChecks },
  resume: ResumePoint,
  committed: () => void,
): Pipeline<BlocksPiece> {
  const { source, compress, checks } = parts
  let tail = resume.parentHash === undefined ? undefined : fromHex(resume.parentHash)
  const pipeline = new Pipeline<BlocksPiece>({
    name: 'blocks',
    from: resume.blocksFrom,
    unit: () => source.unitBlocks(),
    window: () => source.window('blocks'),
    fetch: (range, signal) =>
      source.blocks(
        range,
        (units, origin) => {
          const wants = (height: number): boolean =>
            checks.wants(height, pipeline.head - height < headBlocks)
          const good = checks.checkAll(units, { from: range.from, origin, wants })
          const batch = decodeBlocks(range.from, good, compress)
          return { from: range.from, until: batch.until, batch, origin }
        },
        signal,
      ),
    link: ({ batch, origin }) => {
      const first = batch.blocks.parentHash.subarray(0, 32)
      if (tail !== undefined && !equalBytes(tail, first)) {
        const reason = `parent of block ${batch.from} does not match what is stored: ${origin}`
        source.distrust(origin, reason)
        return reason
      }
      tail = batch.blocks.hash.slice(-32)
      return undefined
    },
    merge: (pieces) => {
      const batch = mergeBlocks(pieces.map((piece) => piece.batch))
      const origin = pieces.at(-1)?.origin ?? ''
      return { from: batch.from, until: batch.until, batch, origin }
    },
    sizeOf: ({ batch }) => sizeOf(batch),
    apply: ({ batch }, headHeight) => parts.writer.blocks(batch, headHeight),
    changed: () => {
      committed()
      parts.changed()
    },
    clock: parts.world.clock,
    log: parts.log,
    limits: parts.limits,
  })
  return pipeline
}
