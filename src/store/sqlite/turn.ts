/**
 * How requests share the turns of the loop, as SQLite answers at once and never gives the loop back by itself.
 *
 * The statements of a turn read one state and take locks once. Each turn begins anew, so that a writer that folds
 * its log finds a moment without readers however many requests there are. Once a turn has worked for long, what
 * would be read next is read in another one: who reads a thousand pages keeps nobody waiting.
 */

import type { SqliteConnection } from './connection.ts'

/** The reading of this thread. */
class Turn {
  /** So long a turn reads on; infinite where time must not decide what comes first, as in a simulation. */
  limitMs = 2
  readonly #held = new Set<SqliteConnection>()
  #isUnderWay = false
  #fullAt = 0
  /** Reads that this turn had no time for, in order. */
  #late: (() => void)[] = []

  /** Reads by `connection` in this turn where it has time left, else in one of the next. */
  read<T>(connection: SqliteConnection, read: () => T): T | Promise<T> {
    if (!this.#isUnderWay || performance.now() <= this.#fullAt)
      return this.#readNow(connection, read)
    return new Promise((resolve, reject) => {
      this.#late.push(() => {
        try {
          resolve(this.#readNow(connection, read))
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  /** Ends all reading, so that what is read next sees every commit: for who has just heard of one. */
  end(): void {
    for (const connection of this.#held) connection.endReading()
    this.#held.clear()
  }

  #readNow<T>(connection: SqliteConnection, read: () => T): T {
    if (!this.#isUnderWay) {
      this.#isUnderWay = true
      this.#fullAt = performance.now() + this.limitMs
      setImmediate(() => this.#next())
    }
    if (!this.#held.has(connection)) {
      connection.beginReading()
      this.#held.add(connection)
    }
    return read()
  }

  /** Begins another turn with what was late; new requests have had their time before it. */
  #next(): void {
    this.#isUnderWay = false
    this.end()
    let done = 0
    for (const read of this.#late) {
      read()
      done++
      if (performance.now() > this.#fullAt) break
    }
    if (done > 0) this.#late = this.#late.slice(done)
  }
}

/** One a thread, as there is one loop. */
export const turn = new Turn()
