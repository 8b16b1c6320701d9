/**
 * A thread that helps another one in a backfill, as the other one sees it.
 *
 * It is started by the first question, and ended when none came for a while: near the head nobody asks. One
 * that ends by itself is started again after a pause.
 */

import { Fault } from '../../core/fault.ts'
import { growingPause } from '../../core/growing-pause.ts'
import type { Clock } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'
import { type Call, callerOver, type ClosingPort } from './port-call.ts'

/** Parts of {@link SpareThread}. */
export type SpareThreadParts = {
  /** Of the thread, in logs. */
  readonly name: string
  /** Starts a thread of this name that answers questions. */
  readonly start: (name: string) => ClosingPort
  /** Called once, when the thread ended too often without having answered anything. */
  readonly failed: (fault: Fault) => void
  readonly clock: Clock
  readonly log: Log
  /** A question that takes longer ends the thread, milliseconds; absent: whoever asks gives up by itself. */
  readonly answerMs?: number
  /** Ends the thread, and every question. */
  readonly signal: AbortSignal
}

/** A thread ends after this time without a question. */
const idleMs = 30_000

/** Pauses before a thread that ended by itself is started again. */
const firstPauseMs = 1_000
const longestPauseMs = 60_000

/** Ends in a row without an answer, after which it is not started any more. */
const maxEnds = 5

type Running = { readonly port: ClosingPort; readonly call: Call; readonly over: AbortController }

/** One thread, running or not. */
export class SpareThread {
  readonly #parts: SpareThreadParts
  #running: Running | undefined
  #underWay = 0
  #wasAsked = false
  #ends = 0
  #readyAt = Number.NEGATIVE_INFINITY

  constructor(parts: SpareThreadParts) {
    this.#parts = parts
  }

  get name(): string {
    return this.#parts.name
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Returns whether it may be asked at monotonic `now`. */
  takes(now: number): boolean {
    return this.isRunning || now >= this.#readyAt
  }

  /**
   * Asks the thread, which is started when it does not run. Faults are those of the answer;
   * `node-unreachable` when the thread ends meanwhile.
   */
  async ask(name: string, argument: unknown): Promise<unknown> {
    this.#wasAsked = true
    const running = this.#running ?? this.#start()
    this.#underWay++
    const answered = new AbortController()
    void this.#endWhenLate(running, answered.signal)
    try {
      return await running.call(name, argument)
    } finally {
      answered.abort()
      this.#underWay--
      // Whatever it answered, it is there.
      if (this.#running === running) this.#ends = 0
    }
  }

  #start(): Running {
    const { name, start, signal } = this.#parts
    const over = new AbortController()
    const port = start(name)
    const running = { port, over, call: callerOver(port, over.signal) }
    this.#running = running
    port.once('close', () => this.#ended(running))
    const stop = (): void => {
      over.abort(new Fault('node-unreachable', 'the process stops'))
      port.close()
    }
    signal.addEventListener('abort', stop, { once: true, signal: over.signal })
    void this.#endWhenIdle(running)
    return running
  }

  #ended(running: Running): void {
    const { name, log, clock, failed, signal } = this.#parts
    running.over.abort(new Fault('node-unreachable', `thread ended: ${name}`))
    if (this.#running !== running || signal.aborted) return
    this.#running = undefined
    const pauseMs = growingPause(this.#ends, { firstMs: firstPauseMs, longestMs: longestPauseMs })
    log.error('thread has ended', { thread: name, pauseMs })
    this.#readyAt = clock.monotonic() + pauseMs
    if (++this.#ends < maxEnds) return
    this.#readyAt = Number.POSITIVE_INFINITY
    failed(new Fault('store-failed', `thread cannot be started: ${name}`))
  }

  async #endWhenLate({ port }: Running, answered: AbortSignal): Promise<void> {
    const { clock, answerMs } = this.#parts
    if (answerMs === undefined) return
    await clock.sleep(answerMs, answered).catch(() => undefined)
    if (!answered.aborted) port.close()
  }

  async #endWhenIdle(running: Running): Promise<void> {
    const { clock } = this.#parts
    const { signal } = running.over
    while (this.#wasAsked || this.#underWay > 0) {
      this.#wasAsked = false
      await clock.sleep(idleMs, signal).catch(() => undefined)
      if (signal.aborted) return
    }
    this.#running = undefined
    running.port.close()
  }
}
