/**
 * Answers taken from endpoints without a proof, until they have proved to be right since.
 *
 * Blocks far behind the head where an operator wants samples only, blocks whose headers are of a
 * form that is not known, traces that no second endpoint was read for: each is kept in mind with a
 * sum of what it became. Once its endpoint is caught with something untrue, all that it gave since
 * its last proven block is read again and compared. Lives in memory: a restart forgets it.
 */

import type { HeightRange } from '../../../source/evm-source.ts'
import type { StageStatus } from '../../stream/stage.ts'

/** A range that one endpoint gave. */
export type TakenRange = HeightRange & {
  readonly origin: string
  /** Equal for equal rows. */
  readonly sum: string
}

/** Ranges kept in mind, some 200 bytes each: more than a million blocks on one endpoint's word. */
const maxRanges = 65_536

/** Ranges of one chain. */
export class TakenOnTrust {
  /** By endpoint, in the order they came. */
  readonly #byOrigin = new Map<string, TakenRange[]>()
  /** Endpoints that gave something untrue which was stored. */
  readonly #liars = new Set<string>()
  #toRead: TakenRange[] = []
  #count = 0
  #wake: () => void = () => undefined

  /** A range was taken from its endpoint as it is. */
  took(range: TakenRange): void {
    const all = this.#byOrigin.get(range.origin) ?? []
    this.#byOrigin.set(range.origin, all)
    all.push(range)
    if (++this.#count <= maxRanges) return
    const longest = [...this.#byOrigin.values()].reduce((a, b) => (a.length < b.length ? b : a))
    longest.shift()
    this.#count--
  }

  /** The endpoint gave a block that is proven: what it gave before that is believed. */
  proved(origin: string, height: number): void {
    const all = this.#byOrigin.get(origin)
    if (all === undefined) return
    const left = all.filter(({ until }) => until > height + 1)
    this.#count -= all.length - left.length
    this.#byOrigin.set(origin, left)
  }

  /** The endpoint gave something untrue: what it gave since its last proven block is read again. */
  caught(origin: string): void {
    const all = this.#byOrigin.get(origin) ?? []
    this.#byOrigin.delete(origin)
    this.#count -= all.length
    if (all.length === 0) return
    this.#toRead = [...this.#toRead, ...all].toSorted((a, b) => a.from - b.from)
    this.#wake()
  }

  /**
   * A stored answer of the endpoint differs from its answer of now: it needs proofs from now on.
   */
  disbelieve(origin: string): void {
    this.#liars.add(origin)
  }

  /** Returns whether the endpoint is believed without a proof. */
  believes(origin: string): boolean {
    return !this.#liars.has(origin)
  }

  /** Rows from height `from` on were removed, and are read again in any case. */
  forget(from: number): void {
    const isKept = (range: TakenRange): boolean => range.from < from
    this.#toRead = this.#toRead.filter(isKept)
    for (const [origin, all] of this.#byOrigin) {
      const left = all.filter(isKept)
      this.#count -= all.length - left.length
      this.#byOrigin.set(origin, left)
    }
  }

  /** The lowest range that is to be read again; undefined while there is none. */
  get next(): TakenRange | undefined {
    return this.#toRead[0]
  }

  /** `status` as it is shown: what is read again is not called live. */
  shownIn(status: StageStatus): StageStatus {
    const { next } = this
    if (next === undefined || status.state !== 'live') return status
    const reason = `blocks from ${next.from} on are read again: ${next.origin} gave untrue ones`
    return { ...status, state: 'syncing', reason }
  }

  /** The range was read again and is as it was. */
  confirmed(range: TakenRange): void {
    this.#toRead = this.#toRead.filter((each) => each !== range)
  }

  /** Resolves when something is to be read again, or the signal is aborted. */
  async changed(signal: AbortSignal): Promise<void> {
    if (this.next !== undefined || signal.aborted) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done)
        this.#wake = () => undefined
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
      this.#wake = done
    })
  }
}
