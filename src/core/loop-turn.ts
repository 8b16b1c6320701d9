/**
 * The turns of this thread's event loop, and how long work that never waits may take of one: SQLite and loops over
 * rows would keep the loop from all other callers.
 */

/** The turn under way. */
class LoopTurn {
  /** So long a turn works; infinite where time must not decide what comes first, as in a simulation. */
  limitMs = 2
  #isUnderWay = false
  #fullAt = 0
  #ends: (() => void)[] = []
  /** Work that a turn had no time for, in order. */
  readonly #late: (() => void)[] = []

  /** Does `work` in this turn where it has time left, else in one of the next. */
  run<T>(work: () => T): T | Promise<T> {
    if (this.#hasTime()) return work()
    return new Promise((resolve, reject) => {
      this.#late.push(() => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  /** Resolves in a turn that has time left. */
  async rest(): Promise<void> {
    await this.run(() => undefined)
  }

  /** Calls `end` once, at the end of this turn. */
  atEnd(end: () => void): void {
    this.#ends.push(end)
  }

  #hasTime(): boolean {
    if (this.#isUnderWay) return performance.now() <= this.#fullAt
    this.#isUnderWay = true
    this.#fullAt = performance.now() + this.limitMs
    setImmediate(() => this.#next())
    return true
  }

  /** New requests have had their time before it. */
  #next(): void {
    this.#isUnderWay = false
    const ends = this.#ends
    this.#ends = []
    for (const end of ends) end()
    this.#goOn()
  }

  #goOn(): void {
    if (this.#late.length === 0 || !this.#hasTime()) return
    this.#late.shift()?.()
    // Who waited for it works before the next one does.
    queueMicrotask(() => process.nextTick(() => this.#goOn()))
  }
}

/** One a thread, as there is one loop. */
export const loopTurn = new LoopTurn()
