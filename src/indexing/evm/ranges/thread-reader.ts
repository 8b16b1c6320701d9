/** A thread of this process that reads ranges of one chain. */

import { Fault, faultOf } from '../../../core/fault.ts'
import { inTime } from '../../../core/in-time.ts'
import type { Clock } from '../../../core/world.ts'
import type { EndpointStatus, HeightRange } from '../../../source/evm-source.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { SpareThread } from '../../thread/spare-thread.ts'
import type { BlocksPiece } from '../read/block-piece.ts'
import type { RangeChain } from './range-bytes.ts'
import type { Distrust, OtherReader } from './range-readers.ts'

/** A question to a thread: blocks of the chain `key`, which must be `chain`. */
export type RangeQuestion = {
  readonly key: string
  readonly chain: RangeChain
  readonly range: HeightRange
}

/** The answer of a thread. */
export type RangeReply = {
  /** Undefined where hashes do not prove all of it. */
  readonly piece: BlocksPiece | undefined
  /** Reads of this chain that it takes at once now. */
  readonly window: number
}

/** An endpoint of the chain `key` that told something untrue. */
export type Blame = {
  readonly key: string
  readonly origin: string
  readonly reason: string
  readonly how: Distrust
}

/** Reads that a thread is given at once before it told how many it takes. */
const firstWindow = 2

/** Nearer to the head than this no thread is started: it would begin when the blocks are read. */
const farBehind = 1_000

/** Parts of {@link ThreadReader}. */
export type ThreadReaderParts = {
  readonly thread: SpareThread
  /** Key of the chain. */
  readonly key: string
  /** A range that takes longer is read by the decoder. */
  readonly timeoutMs: number
  /** Blocks behind the head from which on the thread is started; by default {@link farBehind}. */
  readonly startBehind?: number
  readonly clock: Clock
  readonly log: Log
}

/** One thread, for one chain. */
export class ThreadReader implements OtherReader {
  readonly #parts: ThreadReaderParts
  #size = firstWindow
  #underWay = 0

  constructor(parts: ThreadReaderParts) {
    this.#parts = parts
  }

  window(behind: number, now: number): number {
    return this.#takes(behind, now) ? this.#size : 0
  }

  load(behind: number, now: number): number | undefined {
    const hasRoom = this.#underWay < this.#size && this.#takes(behind, now)
    return hasRoom ? this.#underWay / this.#size : undefined
  }

  /** As `OtherReader.read`; gives up when the signal is aborted, while the thread reads on. */
  async read(
    chain: RangeChain,
    { from, until }: HeightRange,
    signal: AbortSignal,
  ): Promise<BlocksPiece | undefined> {
    const { key, clock, timeoutMs } = this.#parts
    const asked = this.#ask({ key, chain, range: { from, until } })
    const late = (): never => {
      throw new Fault('node-unreachable', 'a thread did not read a range in time')
    }
    return abandoned(inTime(asked, { clock, ms: timeoutMs, late }), signal)
  }

  blame(origin: string, reason: string, how: Distrust): boolean {
    const { thread, key } = this.#parts
    if (thread.isRunning)
      thread
        .ask('blame', { key, origin, reason, how } satisfies Blame)
        .catch((error: unknown) => this.#note(error))
    return false
  }

  /** Nothing: its endpoints are the decoder's. */
  endpoints(): readonly EndpointStatus[] {
    return []
  }

  #takes(behind: number, now: number): boolean {
    const { thread, startBehind = farBehind } = this.#parts
    return thread.isRunning || (behind >= startBehind && thread.takes(now))
  }

  /** Counts the read as under way for as long as the thread is at it, whoever waits for it. */
  async #ask(question: RangeQuestion): Promise<BlocksPiece | undefined> {
    this.#underWay++
    try {
      const answer = await this.#parts.thread.ask('read', question)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- answered by run-range-reader.ts
      const { piece, window } = answer as RangeReply
      this.#size = Math.max(1, window)
      return piece
    } catch (error) {
      throw this.#note(error)
    } finally {
      this.#underWay--
    }
  }

  /** An error of the thread as a fault: the decoder does the same itself, and shows what is wrong. */
  #note(error: unknown): Fault {
    const fault = faultOf(error)
    if (fault !== undefined) return fault
    const { thread, log } = this.#parts
    log.error('thread did not read a range', { thread: thread.name, error })
    return new Fault('node-unreachable', `${thread.name} failed`, { cause: error })
  }
}

/** `work`, until the signal is aborted: then its reason is thrown. */
async function abandoned<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
