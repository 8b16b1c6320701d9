/**
 * Reads the traces of one EVM chain, after its blocks.
 *
 * Nothing a node says about traces is believed for ever: what fails is read again with growing
 * pauses, also where no endpoint offers traces. Where the state of old blocks is gone everywhere,
 * reading goes on from where it begins, and the store says from where traces are complete.
 */

import type { TraceBatch } from '../../../codec/evm/columns/columns.ts'
import { mergeTraces, sizeOf } from '../../../codec/evm/columns/merge-batches.ts'
import { decodeTraces } from '../../../codec/evm/decode-traces.ts'
import { checkTraces, type GasRule } from '../../../codec/evm/proof/check-traces.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import type { World } from '../../../core/world.ts'
import type { EvmSource, HeightRange, ReadRange } from '../../../source/evm-source.ts'
import type { TracedRow } from '../../../store/query/evm/transactions.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { ChainSpec } from '../../stream/chain-spec.ts'
import { Pipeline, type PipelineLimits } from '../../stream/pipeline.ts'
import { idleStatus, type StageState, type StageStatus } from '../../stream/stage.ts'
import { type NodeTraces, TraceComparison } from './compare-traces.ts'
import { rereadCaught } from './read-again.ts'
import { TakenOnTrust, type TakenRange } from './taken-on-trust.ts'
import { TracedRows } from './traced-rows.ts'

/**
 * Blocks of one trace fetch, a request each, one after the other; many fetches are under way at
 * once. More than one block, since a comparison of two endpoints finds no lie in a block without
 * inner calls.
 */
const traceUnit = 4

/** Trace batches are small; this many bytes of them are as many commits as blocks make. */
const traceBatchShare = 4

/** One read in so many is compared with a second endpoint's: the nodes trace 6 % more. */
const usualCompareEvery = 16

/** Pauses before endpoints that offer no traces are tried again; doubled each time. */
const firstOffPauseMs = 60_000
const longestOffPauseMs = 3_600_000

/** Pauses after a trace that failed: a heavy block costs the node much each time. */
const longestTracePauseMs = 120_000

/** Pauses while nothing can be said of traces, because no endpoint answers. */
const firstWaitMs = 500
const longestWaitMs = 10_000

/**
 * Failures in a row, about eight seconds of them, after which every endpoint is checked for whether
 * the state of a block is gone.
 */
const statelessTries = 6

type TraceReaderOptions = {
  readonly spec: Pick<ChainSpec, 'traces'>
  readonly source: EvmSource
  readonly writer: TraceWriter
  readonly world: Pick<World, 'clock' | 'random'>
  readonly log: Log
  readonly limits: PipelineLimits
  readonly compareEvery?: number | undefined
  /** Returns whether receipts of this chain charge the gas used, as far as is known. */
  readonly gasRule: () => GasRule
  /** Called when {@link TraceReader.status} may have changed. */
  readonly changed: () => void
}

/** The writer of one chain's traces. */
export type TraceWriter = {
  /** Resolves when committed. */
  readonly traces: (batch: TraceBatch, headHeight: number) => Promise<void>
  /** Traces begin at height `since`: those between the last ones and it cannot be had. */
  readonly skipTraces: (since: number) => Promise<void>
  /** Fields of stored transactions of a range of blocks that traces repeat, in order. */
  readonly transactions: (range: HeightRange) => Promise<readonly TracedRow[]>
}

/** The traces stage of one chain. */
export class TraceReader {
  readonly #options: TraceReaderOptions
  readonly #trust = new TakenOnTrust()
  readonly #comparison: TraceComparison
  #pipeline: Pipeline<TraceBatch> | undefined
  /** Status of the stage while it has no pipeline. */
  #status: StageStatus = idleStatus('traces')
  #head = -1
  #stateless = 0

  constructor(options: TraceReaderOptions) {
    this.#options = options
    this.#comparison = new TraceComparison({
      source: options.source,
      trust: this.#trust,
      read: async (range, signal) =>
        this.#read(range, await options.writer.transactions(range), signal),
    })
    if (options.spec.traces === 'off')
      this.#status = { ...this.#status, state: 'off', reason: 'switched off' }
  }

  status(): StageStatus {
    return this.#trust.shownIn(this.#pipeline?.status() ?? this.#status)
  }

  /** Blocks are stored up to `height`. */
  setHead(height: number): void {
    this.#head = Math.max(this.#head, height)
    this.#pipeline?.setHead(this.#head)
  }

  /** Blocks from height `from` on were removed. */
  forget(from: number): void {
    this.#head = Math.min(this.#head, from - 1)
    this.#trust.forget(from)
  }

  /** Reads again what caught endpoints gave, see `rereadCaught`. */
  readAgain(signal: AbortSignal): Promise<void> {
    const { world, log, changed } = this.#options
    const sumNow = (range: TakenRange, inner: AbortSignal): Promise<string> =>
      this.#comparison.sumNow(range, inner)
    const { clock } = world
    return rereadCaught({ trust: this.#trust, sumNow, clock, log, changed }, signal)
  }

  /** Lets a commit that gathered long enough go. */
  tick(): void {
    this.#pipeline?.tick()
  }

  /**
   * Reads from height `first` until the signal is aborted. Throws only what concerns the blocks as
   * well: a failing store, or a bug.
   */
  async run(first: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.world
    if (this.#options.spec.traces === 'off') return
    this.#trust.forget(first)
    let from: number | undefined = first
    let pauseMs = firstOffPauseMs
    while (from !== undefined && !signal.aborted) {
      if (await this.#offered(signal)) {
        pauseMs = firstOffPauseMs
        from = await this.#follow(from, signal)
        continue
      }
      this.#leave('no endpoint offers debug_traceBlockByNumber', { from, isOffered: false })
      await clock.sleep(pauseMs, signal)
      pauseMs = Math.min(longestOffPauseMs, pauseMs * 2)
    }
  }

  /** Keeps the last status of the stage until it begins again. */
  rest(): void {
    const { stage, indexedHeight, headHeight, state, reason } = this.status()
    this.#pipeline = undefined
    const off = state === 'off' && reason !== undefined
    this.#status = { stage, indexedHeight, headHeight, blocksPerSecond: 0, state: 'syncing' }
    if (off) this.#status = { ...this.#status, state, reason }
  }

  /** Returns whether an endpoint offers traces; tries until one offers them or all refuse. */
  async #offered(signal: AbortSignal): Promise<boolean> {
    const { source, world, log, changed } = this.#options
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
      try {
        return await source.hasTraces(signal)
      } catch (error) {
        const fault = faultOf(error)
        if (signal.aborted || fault === undefined) throw error
        if (!fault.retryable) return false
        this.#status = { ...this.#status, reason: fault.message }
        log.debug('traces wait', { code: fault.code })
        changed()
        await world.clock.sleep(waitMs, signal)
      }
    }
  }

  /** Reads from `from` on. Returns where to continue, `undefined` when there is nowhere. */
  async #follow(from: number, signal: AbortSignal): Promise<number | undefined> {
    const { writer, log } = this.#options
    const pipeline: Pipeline<TraceBatch> = this.#newPipeline(from)
    this.#pipeline = pipeline
    pipeline.setHead(this.#head)
    try {
      await pipeline.run(signal)
      return undefined
    } catch (error) {
      const fault = faultOf(error)
      if (signal.aborted || fault === undefined || fault.retryable) throw error
      const next = pipeline.committed + 1
      const since = fault.detail['tracesSince']
      if (typeof since === 'number') {
        log.warn('traces of old blocks cannot be had', { from: next, since })
        await writer.skipTraces(since)
        return since
      }
      this.#leave(fault.message, { from: next, isOffered: fault.code !== 'node-refused' })
      return fault.code === 'node-refused' ? next : undefined
    }
  }

  /** Shows that nothing is read now. */
  #leave(reason: string, at: { readonly from: number; readonly isOffered: boolean }): void {
    const { spec, log, changed } = this.#options
    const state: StageState = !at.isOffered && spec.traces === 'auto' ? 'off' : 'stopped'
    this.#pipeline = undefined
    this.#status = {
      stage: 'traces',
      indexedHeight: at.from - 1,
      headHeight: Math.max(this.#head, at.from - 1),
      blocksPerSecond: 0,
      state,
      reason,
    }
    log.warn('traces are not read', { reason })
    changed()
  }

  #newPipeline(from: number): Pipeline<TraceBatch> {
    const { source, limits, writer, world, log, changed } = this.#options
    const { compareEvery = usualCompareEvery } = this.#options
    const stored = new TracedRows((range) => writer.transactions(range))
    const pipeline = new Pipeline<TraceBatch>({
      name: 'traces',
      from,
      unit: () => traceUnit,
      window: () => source.window('traces'),
      fetch: async (range, signal) => {
        try {
          const traces = await this.#read(range, await stored.of(range, pipeline.head), signal)
          // Drawn, so that a node cannot know which of its answers is compared.
          const isSampled = world.random.number() * compareEvery < 1
          await this.#comparison.look(traces, isSampled, signal)
          return traces.batch
        } catch (error) {
          stored.forget()
          // The others wait for the first, whose fault says why.
          const isFirst = range.from === pipeline.committed + 1
          throw isFirst ? await this.#stateLost(error, range, signal) : error
        }
      },
      link: () => undefined,
      merge: mergeTraces,
      sizeOf,
      apply: async (batch, headHeight) => {
        await writer.traces(batch, headHeight)
        this.#stateless = 0
      },
      changed,
      clock: world.clock,
      log,
      limits: {
        bufferBytes: limits.bufferBytes / traceBatchShare,
        batchBytes: limits.batchBytes / traceBatchShare,
        longestPauseMs: longestTracePauseMs,
      },
    })
    return pipeline
  }

  /** Reads traces, compared with their transactions, which are `rows`. */
  async #read(
    range: ReadRange,
    rows: readonly TracedRow[],
    signal: AbortSignal,
  ): Promise<NodeTraces> {
    const { source, gasRule } = this.#options
    const read = (blocks: readonly unknown[], origin: string): NodeTraces => {
      // Throws `node-answer` for traces that are not those of the stored transactions.
      const gas = gasRule()
      const checked = blocks.map((traces, at) => {
        const height = range.from + at
        const own = rows.filter((row) => row.height === height)
        return checkTraces(traces, own, { height, gas })
      })
      return { batch: decoded(range, checked), origin }
    }
    return source.traces(range, read, signal)
  }

  /**
   * `error`, or the fault that says from where on traces can be had, once all endpoints said so.
   */
  async #stateLost(error: unknown, range: HeightRange, signal: AbortSignal): Promise<unknown> {
    const { source, spec } = this.#options
    if (faultOf(error)?.code !== 'not-served') return error
    if (++this.#stateless < statelessTries || spec.traces === 'on') return error
    this.#stateless = 0
    const head = this.#head
    const since = await source.tracesSince({ from: range.from, head }, signal)
    if (since === undefined || since <= range.from) return error
    return new Fault('node-refused', `no endpoint has the state to trace height ${range.from}`, {
      detail: { tracesSince: since },
    })
  }
}

/** Decodes; what is too deep or too long for this runtime is the reply's fault, not ours. */
function decoded(range: HeightRange, blocks: readonly unknown[]): TraceBatch {
  try {
    return decodeTraces(range.from, blocks)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Fault('node-answer', `traces cannot be decoded from height ${range.from}`, {
      cause: error,
    })
  }
}
