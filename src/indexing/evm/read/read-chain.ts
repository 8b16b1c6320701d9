/**
 * Reads one EVM chain: blocks and, beside them, traces, each through a pipeline of its own.
 *
 * Traces never hold the head back: they follow what blocks have committed. Runs in the decoder
 * thread; `ChainWriter` is the way to the writer. When the store fails, both begin again where its
 * rows end: whether the batch under way was stored is read, not guessed.
 */

import type { BlockBatch } from '../../../codec/evm/columns/columns.ts'
import type { Compress } from '../../../codec/evm/growing-batch.ts'
import type { GasRule } from '../../../codec/evm/proof/check-traces.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { growingPause } from '../../../core/waiting.ts'
import type { World } from '../../../core/world.ts'
import type { ChainIdentity, EvmSource } from '../../../source/evm-source.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { BlockReport, ChainSpec, ResumePoint } from '../../stream/chain-spec.ts'
import { Pipeline, type PipelineLimits } from '../../stream/pipeline.ts'
import { idleStatus, type StageStatus } from '../../stream/stage.ts'
import { KnownForms } from '../tokens/contract-forms.ts'
import { BlockChecks, type Unchecked } from './block-checks.ts'
import type { BlockReader, BlocksPiece } from './block-piece.ts'
import { blocksPipeline } from './block-pipeline.ts'
import { rereadCaught, sumNow, unsettledNow } from './read-again.ts'
import { TraceReader, type TraceWriter } from './read-traces.ts'
import { Settlement } from './settlement.ts'
import { TakenOnTrust, type TakenRange } from './taken-on-trust.ts'
import { watchHead } from './watch-head.ts'

/** The writer of one chain, as its reader sees it. */
export type ChainWriter = TraceWriter & {
  /**
   * Opens the store for this chain, the first time; returns where its rows end once all that was
   * handed over before is done. Throws `source-mismatch` when it holds another chain.
   */
  readonly begin: (identity: ChainIdentity) => Promise<ResumePoint>
  /** Returns whether the node still has the block where the rows end. Faults are those of the source. */
  readonly isOfNode: () => Promise<boolean>
  /** Resolves when committed. */
  readonly blocks: (batch: BlockBatch, report: BlockReport) => Promise<void>
  /** Removes rows from a height on that were proven to be wrong. */
  readonly cut: (from: number) => Promise<void>
}

type ReadChainOptions = {
  readonly spec: ChainSpec
  readonly source: EvmSource
  readonly writer: ChainWriter
  readonly world: World
  readonly log: Log
  readonly compress: Compress
  readonly limits: PipelineLimits
  /** Far behind the head one block in this many is checked; 1: every one. */
  readonly checkEvery: number
  /**
   * One read of traces in this many is compared with a second endpoint's; by default 16.
   */
  readonly compareEvery?: number
  /** Called when {@link ChainReader.stages} may have changed. */
  readonly changed: () => void
}

/** Pauses between tries to reach a chain, or to write its store. */
const firstPauseMs = 500
const longestPauseMs = 10_000
/** A database that comes back belongs to the deployment: it is tried again soon. */
const longestStorePauseMs = 2_000

/** Between two looks whether the node of a chain of development still has what is stored. */
const lookEveryMs = 250

/** Between two tries to read a chain whose nodes contradict what is stored. */
const stoppedPauseMs = 60_000

/** Reads one chain until its signal is aborted. */
export class ChainReader {
  readonly #options: ReadChainOptions
  readonly #reader: BlockReader
  readonly #checks: BlockChecks
  readonly #settlement = new Settlement()
  readonly #trust = new TakenOnTrust()
  #blocks: Pipeline<BlocksPiece> | undefined
  readonly #traces: TraceReader
  /** Status of the blocks while they have no pipeline. */
  #blocksStatus: StageStatus = idleStatus('blocks')
  /** Why its nodes are not believed, and from which height on, until they are again. */
  #contradiction: { readonly reason: string; readonly at: number } | undefined

  constructor(options: ReadChainOptions) {
    this.#options = options
    const { spec, source, writer, world, log, limits, compress, compareEvery, changed } = options
    const { checkEvery } = options
    this.#checks = new BlockChecks({ log, checkEvery, endpoints: () => source.endpoints() })
    const forms = new KnownForms()
    this.#reader = { source, compress, checks: this.#checks, trust: this.#trust, forms }
    // Where execution comes later a receipt charges half of the gas limit at least (ACP-194).
    const gasRule = (): GasRule => (this.#settlement.isUsed === false ? 'equal' : 'at-most')
    const read = { spec, source, writer, world, log, limits, compareEvery, changed }
    this.#traces = new TraceReader({ ...read, gasRule })
  }

  stages(): readonly StageStatus[] {
    const status = this.#blocks?.status() ?? this.#blocksStatus
    const { reason } = this.#contradiction ?? {}
    const shown = reason === undefined ? status : { ...status, state: 'stopped' as const, reason }
    const unverified = this.#checks.unverified()
    const checked = this.#checks.provenUntil(shown.indexedHeight)
    const provenHeight = Math.min(checked, this.#settlement.provenHeight ?? checked)
    const proven = { ...shown, provenHeight, unverified }
    return [this.#trust.shownIn(proven), this.#traces.status()]
  }

  /** Blocks taken without a check because it is not known to hold on this chain. */
  unchecked(): Unchecked {
    return this.#checks.unchecked()
  }

  /**
   * Ends when the signal is aborted, or when the chain stops; its status then says why. Returns true where a chain
   * of development has to be read by a new reader, since its node has other blocks than this one knows.
   */
  async run(signal: AbortSignal): Promise<boolean> {
    const { log, changed, spec } = this.#options
    try {
      await this.#tried(() => this.#readAll(signal), signal)
    } catch (error) {
      if (signal.aborted) return false
      const fault = faultOf(error)
      if (fault?.code === 'source-mismatch' && spec.beginsAnew === true) return true
      const reason = fault?.message ?? 'internal error'
      const isForeign = fault?.code === 'foreign-store'
      this.#blocksStatus = { ...waitingAt(this.#blocksStatus), state: 'stopped', reason, isForeign }
      log.error('chain stopped', { reason, ...(fault === undefined ? { error } : fault.detail) })
      changed()
    }
    return false
  }

  /** As `readOn`; removes rows that were found to be wrong, so that they are read again. */
  async #readAll(signal: AbortSignal): Promise<void> {
    const { writer, log } = this.#options
    try {
      await this.#readOn(signal)
    } catch (error) {
      // Rows may be found to be wrong once they are stored.
      const fault = faultOf(error)
      const height = fault?.code === 'rows-refuted' ? fault.detail['from'] : undefined
      const from = typeof height === 'number' ? height : undefined
      if (from === undefined) throw error
      log.error('rows are wrong and are read again', { from, reason: faultOf(error)?.message })
      await writer.cut(from)
      this.#traces.forget(from)
      this.#checks.forget(from)
      this.#trust.forget(from)
      throw error
    }
  }

  /** Continues where the rows end, until the signal is aborted or something fails. */
  async #readOn(signal: AbortSignal): Promise<void> {
    const { source, writer, world, log } = this.#options
    const identity = await source.identity(signal)
    const { standsBy: _before, ...status } = this.#blocksStatus
    // It waits there for as long as another process writes the store.
    this.#blocksStatus = { ...status, standsBy: true }
    this.#options.changed()
    const resume = await writer.begin(identity)
    log.info('chain opened', { chainId: identity.chainId, from: resume.blocksFrom })
    const ending = new AbortController()
    const inner = AbortSignal.any([signal, ending.signal])
    await this.#knowProofs(resume, signal)
    const { limits, changed } = this.#options
    const proofs = { reader: this.#reader, settlement: this.#settlement }
    const committed = (): void => {
      this.#traces.setHead(blocks.committed)
      const { at = -1 } = this.#contradiction ?? {}
      if (blocks.committed > at || blocks.status().state === 'live') this.#contradiction = undefined
    }
    const parts = { ...proofs, writer, world, log, limits, changed }
    const blocks = blocksPipeline(parts, resume, committed)
    this.#blocks = blocks
    const looked = (): void => {
      blocks.tick()
      this.#traces.tick()
    }
    const all = [
      blocks.run(inner),
      watchHead({ source, blocks, looked, clock: world.clock, log }, inner),
      this.#traces.run(resume.tracesFrom, inner),
      this.#readAgain(inner),
      this.#traces.readAgain(inner),
      ...(this.#options.spec.beginsAnew === true ? [this.#watchNode(inner)] : []),
    ]
    try {
      await Promise.all(all)
    } finally {
      ending.abort(new Fault('node-unreachable', 'the chain ended'))
      await Promise.allSettled(all)
      if (!signal.aborted) {
        // Keeps the last status of the stages until they begin again.
        this.#blocksStatus = waitingAt(this.#blocks?.status() ?? this.#blocksStatus)
        this.#blocks = undefined
        this.#traces.rest()
      }
    }
  }

  /** Throws `source-mismatch` once the node does not have the last block stored. */
  async #watchNode(signal: AbortSignal): Promise<void> {
    const { writer, world } = this.#options
    for (;;) {
      await world.clock.sleep(lookEveryMs, signal)
      try {
        if (!(await writer.isOfNode()))
          throw new Fault('source-mismatch', 'the node has other blocks than those stored')
      } catch (error) {
        // A node that is away may come back with the same chain.
        if (signal.aborted || faultOf(error)?.retryable !== true) throw error
      }
    }
  }

  /** Remembers which of the stored blocks are proven, and which are still to be. */
  async #knowProofs(resume: ResumePoint, signal: AbortSignal): Promise<void> {
    const { proofs, parentHash: lastHash, blocksFrom } = resume
    this.#trust.forget(blocksFrom)
    this.#reader.forms.resume(proofs?.doubts, blocksFrom)
    if (proofs?.unprovenFrom !== undefined)
      this.#checks.restore(proofs.unprovenFrom, proofs.unverified)
    const isKnown = this.#settlement.resume(blocksFrom - 1)
    const stored = proofs?.settlement
    if (isKnown || stored?.at !== blocksFrom - 1 || lastHash === undefined) return
    const blocks = await unsettledNow(this.#reader, { ...stored, lastHash }, signal)
    this.#settlement.restore(stored, blocks)
  }

  #readAgain(signal: AbortSignal): Promise<void> {
    const { log, world, changed } = this.#options
    const read = (range: TakenRange, inner: AbortSignal): Promise<string> =>
      sumNow(this.#reader, range, inner)
    return rereadCaught(
      { trust: this.#trust, sumNow: read, clock: world.clock, log, changed },
      signal,
    )
  }

  /** Tries until it works or can never work. */
  async #tried<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { log, changed, world, source, spec } = this.#options
    for (let tries = 0; ; tries++) {
      const beganMs = world.clock.monotonic()
      try {
        return await work()
      } catch (error) {
        const fault = faultOf(error)
        if (signal.aborted || fault === undefined) throw error
        const isStopped = fault.code === 'source-mismatch' && spec.beginsAnew !== true
        if (isStopped && source.pardon !== undefined) {
          await this.#stopFor(fault, signal)
          source.pardon()
          continue
        }
        if (!fault.retryable) throw error
        const { standsBy: _before, ...status } = this.#blocksStatus
        const standsBy = fault.code === 'lease-lost' ? { standsBy: true } : {}
        this.#blocksStatus = { ...status, reason: fault.message, ...standsBy }
        log.warn('chain waits', { code: fault.code, reason: fault.message })
        changed()
        // A read that went well for a while fails for a new reason.
        if (world.clock.monotonic() - beganMs > longestPauseMs) tries = 0
        // Milliseconds to wait after so many failures before, the last one with this code.
        const longestMs = fault.code === 'store-failed' ? longestStorePauseMs : longestPauseMs
        await world.clock.sleep(growingPause(tries, { firstMs: firstPauseMs, longestMs }), signal)
      }
    }
  }

  /** Calls the chain stopped, and waits: a node may be mended, and what it gives is compared again. */
  async #stopFor({ message, detail }: Fault, signal: AbortSignal): Promise<void> {
    const { log, changed, world } = this.#options
    const at = this.#blocksStatus.indexedHeight
    if (this.#contradiction?.reason !== message)
      log.error('chain stopped', { reason: message, ...detail })
    this.#contradiction = { reason: message, at }
    changed()
    await world.clock.sleep(stoppedPauseMs, signal)
  }
}

/** The last status of a stage that begins again. */
function waitingAt(last: StageStatus): StageStatus {
  const { stage, indexedHeight, headHeight } = last
  return { stage, indexedHeight, headHeight, blocksPerSecond: 0, state: 'syncing' }
}
