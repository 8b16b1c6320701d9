/**
 * Fetches ranges of heights side by side, hands them on in order, in as few commits as fit.
 *
 * The same code fills an empty store and follows the head: far behind, batches grow to
 * `batchBytes`; at the head each block is committed when it comes. What is fetched ahead is
 * bounded by bytes. A range that fails is tried again for ever, with growing pauses; a fault
 * that time cannot heal ends the run. Nothing is ever skipped.
 */

import { Fault, faultOf } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { growingPause } from '../../core/waiting.ts'
import type { Clock } from '../../core/world.ts'
import type { HeightRange } from '../../source/evm-source.ts'
import type { Log } from '../../telemetry/log.ts'
import { Progress } from './progress.ts'
import type { StageStatus } from './stage.ts'

/** Subject of a pipeline. */
export type PipelineOptions<Batch extends HeightRange> = {
  readonly name: string
  /** First height to fetch: the checkpoint + 1. */
  readonly from: number
  /** Blocks a fetch should request now. */
  readonly unit: () => number
  /** Fetches that may run side by side now. */
  readonly window: () => number
  /** Returns `[range.from, …)`: all of the range, or a part that is not empty. */
  readonly fetch: (range: HeightRange, signal: AbortSignal) => Promise<Batch>
  /**
   * Checks that `batch` follows what was handed on before; `undefined` if so, else why not, and
   * from which height on it is to be fetched again (by default that of the batch). The callback
   * must have made sure that another one comes.
   */
  readonly link: (batch: Batch) => Broken | undefined
  /** Called with the first batch that was linked and will be fetched again. */
  readonly unlinked?: (first: Batch) => void
  /** Pieces from this height on are kept back, except near the head, where they cannot wait. */
  readonly heldFrom?: () => number | undefined
  /** Returns whether it waits near the head as well. */
  readonly heldAtHead?: () => boolean
  readonly merge: (batches: readonly Batch[]) => Batch
  readonly sizeOf: (batch: Batch) => number
  /** Commits. Called in order; several may be under way. */
  readonly apply: (batch: Batch, headHeight: number) => Promise<void>
  /** Called after each commit, each new head and each change of state. */
  readonly changed: () => void
  readonly clock: Clock
  readonly log: Log
  readonly limits: PipelineLimits
}

/** Why a batch cannot be taken, and the first height that is to be fetched again. */
export type Broken = { readonly reason: string; readonly from?: number }

/** Nearer to the head than this nothing is held back. */
const heldBehind = 16

/** Bytes a pipeline may hold, and how long it waits. */
export type PipelineLimits = {
  /** Fetched and not yet handed on. */
  readonly bufferBytes: number
  /** One commit, while far behind. */
  readonly batchBytes: number
  /** Longest pause after failures of a fetch, milliseconds; ten seconds when it is not said. */
  readonly longestPauseMs?: number
}

/** Commits under way: one being written, one waiting so that the writer never does. */
const maxApplying = 2

/** A commit while far behind waits at most this long to fill. */
const gatherMs = 1_000

/** A head that stands still is reported again this often. */
const headReportMs = 5_000

/** Pauses after failures of a fetch. */
const firstPauseMs = 250
const usualLongestPauseMs = 10_000

type Piece<Batch> = { readonly batch: Batch; readonly bytes: number }

/** Runs one stage of one chain. */
export class Pipeline<Batch extends HeightRange> {
  readonly #options: PipelineOptions<Batch>
  readonly #progress: Progress
  /** Fetched, by first height. */
  readonly #pieces = new Map<number, Piece<Batch>>()
  /** In order and linked, waiting to be committed. */
  #ready: Piece<Batch>[] = []
  #heldBytes = 0
  #fetching = 0
  #applying = 0
  /** Next height to request, to hand on, and after the last commit. */
  #nextFetch: number
  #nextLink: number
  #committed: number
  #head = -1
  #headAtMs = Number.NEGATIVE_INFINITY
  #pieceBytes = 0
  #lastApplyMs = Number.NEGATIVE_INFINITY
  #problem: string | undefined
  /** The reason why no source has the head; undefined while one does. */
  #headLost: string | undefined
  #failure: unknown
  #stopped: string | undefined
  #epoch = 0
  #wake: (() => void) | undefined

  constructor(options: PipelineOptions<Batch>) {
    this.#options = options
    this.#nextFetch = options.from
    this.#nextLink = options.from
    this.#committed = options.from - 1
    this.#progress = new Progress(options.clock, this.#committed)
  }

  /** Newest height that may be fetched. Heads never go backwards. */
  setHead(height: number): void {
    const wasLost = this.#headLost !== undefined
    this.#headLost = undefined
    const now = this.#options.clock.now()
    const isChanged = wasLost || now - this.#headAtMs >= headReportMs
    if (isChanged || height > this.#head) this.#headAtMs = now
    if (isChanged) this.#options.changed()
    if (height <= this.#head) return
    this.#head = height
    this.#options.changed()
    this.#notify()
  }

  /** No source has the head any more: what is committed may be behind it. */
  loseHead(reason: string): void {
    if (this.#headLost === reason) return
    this.#headLost = reason
    this.#options.changed()
  }

  /** Lets a commit that gathered long enough go. Call it about once a second. */
  tick(): void {
    this.#notify()
  }

  /** Newest height that was reported; -1 before any. */
  get head(): number {
    return this.#head
  }

  /** Last height committed. */
  get committed(): number {
    return this.#committed
  }

  status(): StageStatus {
    const isLost = this.#headLost !== undefined
    const behind = this.#committed < this.#head || this.#head < 0 || isLost
    const etaSeconds = this.#progress.eta(this.#head)
    const reason = this.#stopped ?? this.#problem ?? this.#headLost
    return {
      stage: this.#options.name,
      state: this.#stopped !== undefined ? 'stopped' : behind ? 'syncing' : 'live',
      indexedHeight: this.#committed,
      headHeight: Math.max(this.#head, this.#committed),
      headAt: this.#head < 0 ? undefined : Math.floor(this.#headAtMs / 1_000),
      blocksPerSecond: Math.round(this.#progress.speed() * 100) / 100,
      etaSeconds,
      reason,
    }
  }

  /**
   * Runs until the signal is aborted, or throws what stopped it. A fault that may pass comes from a
   * commit: the caller begins again where the rows end.
   */
  async run(signal: AbortSignal): Promise<void> {
    const ending = new AbortController()
    const inner = AbortSignal.any([signal, ending.signal])
    const wake = (): void => this.#notify()
    signal.addEventListener('abort', wake)
    try {
      while (!signal.aborted) {
        if (this.#failure !== undefined) throw this.#failure
        const changed = new Promise<void>((resolve) => (this.#wake = resolve))
        this.#link()
        const { window, unit, limits } = this.#options
        while (
          this.#nextFetch <= this.#head &&
          this.#fetching < Math.max(1, window()) &&
          // The ranges that everything waits for are under way already, so that a full buffer always
          // empties.
          this.#expectedBytes() < limits.bufferBytes
        ) {
          const range = {
            from: this.#nextFetch,
            until: Math.min(this.#nextFetch + unit(), this.#head + 1),
          }
          this.#nextFetch = range.until
          void this.#fetchUnit(range, this.#epoch, inner)
        }
        this.#startApply()
        await changed
      }
    } catch (error) {
      const fault = faultOf(error)
      if (fault?.retryable === true) this.#problem = fault.message
      else this.#stopped = fault?.message ?? 'internal error'
      this.#options.changed()
      throw error
    } finally {
      signal.removeEventListener('abort', wake)
      ending.abort(new Fault('node-unreachable', 'the stage ended'))
    }
  }

  #notify(): void {
    this.#wake?.()
  }

  /** Bytes held, and those that the fetches under way are expected to bring. */
  #expectedBytes(): number {
    return this.#heldBytes + this.#fetching * this.#pieceBytes
  }

  async #fetchUnit(range: HeightRange, epoch: number, signal: AbortSignal): Promise<void> {
    this.#fetching++
    try {
      await this.#fetchPieces(range, epoch, signal)
    } catch (error) {
      if (!signal.aborted) this.#failure ??= error
    } finally {
      this.#fetching--
      this.#notify()
    }
  }

  /** Keeps the answer for a unit, piece by piece, until it is whole or no longer wanted. */
  async #fetchPieces(range: HeightRange, epoch: number, signal: AbortSignal): Promise<void> {
    let from = range.from
    let failures = 0
    while (from < range.until && epoch === this.#epoch) {
      try {
        const batch = await this.#options.fetch({ from, until: range.until }, signal)
        if (epoch !== this.#epoch) return
        const bytes = this.#options.sizeOf(batch)
        this.#pieces.set(batch.from, { batch, bytes })
        this.#heldBytes += bytes
        this.#pieceBytes = this.#pieceBytes === 0 ? bytes : this.#pieceBytes * 0.9 + bytes * 0.1
        this.#notify()
        from = batch.until
        failures = 0
        this.#problem = undefined
      } catch (error) {
        if (signal.aborted) return
        const fault = faultOf(error)
        if (fault === undefined || !fault.retryable) throw error
        await this.#pause(fault, failures++, signal)
      }
    }
  }

  async #pause(fault: Fault, failures: number, signal: AbortSignal): Promise<void> {
    const { log, clock, name, changed, limits } = this.#options
    const { longestPauseMs = usualLongestPauseMs } = limits
    // At the head it is ordinary that a block is not there yet.
    if (fault.code !== 'node-not-yet' || failures > 3) this.#problem = fault.message
    const pauseMs = growingPause(failures, { firstMs: firstPauseMs, longestMs: longestPauseMs })
    log.debug('fetch failed', { stage: name, code: fault.code, pauseMs, ...fault.detail })
    if (failures === 3) log.warn('fetch keeps failing', { stage: name, code: fault.code })
    changed()
    await clock.sleep(pauseMs, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }

  /** Moves results that follow without a gap to the ready ones. */
  #link(): void {
    for (;;) {
      const piece = this.#pieces.get(this.#nextLink)
      if (piece === undefined) return
      const { batch } = piece
      this.#pieces.delete(batch.from)
      const broken = this.#options.link(batch)
      if (broken !== undefined) {
        this.#unlink(broken)
        // Forgets everything that is not linked yet; fetches under way are ignored when they end.
        this.#options.log.warn('fetched blocks do not link', {
          height: this.#nextLink,
          reason: broken.reason,
        })
        this.#problem = broken.reason
        this.#epoch++
        this.#pieces.clear()
        this.#heldBytes = this.#ready.reduce((sum, { bytes }) => sum + bytes, 0)
        this.#nextFetch = this.#nextLink
        return
      }
      this.#ready.push(piece)
      this.#nextLink = batch.until
    }
  }

  /**
   * Takes back what was linked from a height on. Where it was handed on already, the run ends with
   * `rows-refuted`, so that the caller removes the rows.
   */
  #unlink({ from = this.#nextLink, reason }: Broken): void {
    if (from >= this.#nextLink) return
    const at = this.#ready.findIndex(({ batch }) => from < batch.until)
    const first = this.#ready[at]?.batch
    if (first === undefined || from < first.from)
      throw new Fault('rows-refuted', reason, { detail: { from } })
    this.#ready.splice(at)
    this.#nextLink = first.from
    this.#options.unlinked?.(first)
  }

  #startApply(): void {
    const { clock, limits, merge } = this.#options
    while (this.#ready.length > 0 && this.#applying < maxApplying) {
      let bytes = 0
      let count = 0
      while (count < this.#free() && bytes < limits.batchBytes)
        bytes += itemAt(this.#ready, count++).bytes
      if (count === 0) return
      const full = bytes >= limits.batchBytes
      const atHead = this.#nextLink > this.#head
      const gathered = clock.monotonic() - this.#lastApplyMs >= gatherMs
      if (!full && (this.#applying > 0 || !(atHead || gathered))) return
      const pieces = this.#ready.splice(0, count)
      this.#lastApplyMs = clock.monotonic()
      void this.#apply(merge(pieces.map(({ batch }) => batch)), bytes)
    }
  }

  /** Number of ready batches that may be handed on. */
  #free(): number {
    const held = this.#options.heldFrom?.()
    const isFull = this.#heldBytes >= this.#options.limits.bufferBytes
    const isNear = this.#head - this.#nextLink < heldBehind
    const waits = !isFull && (!isNear || this.#options.heldAtHead?.() === true)
    if (held === undefined || !waits) return this.#ready.length
    const first = this.#ready.findIndex(({ batch }) => batch.until > held)
    return first === -1 ? this.#ready.length : first
  }

  async #apply(batch: Batch, bytes: number): Promise<void> {
    this.#applying++
    try {
      await this.#options.apply(batch, this.#head)
      this.#committed = batch.until - 1
      this.#progress.reached(this.#committed)
      this.#options.changed()
    } catch (error) {
      this.#failure ??= error
    } finally {
      this.#applying--
      this.#heldBytes -= bytes
      this.#notify()
    }
  }
}
