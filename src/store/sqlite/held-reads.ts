/**
 * Reading that lasts as long as a turn of the loop.
 *
 * The statements of a turn read one state and take locks once, instead of for each statement. Each turn begins
 * anew, so that a writer that folds its log finds a moment without readers however many requests there are.
 */

import type { SqliteConnection } from './connection.ts'

/** The reading connections of this thread. */
class HeldReads {
  readonly #held = new Set<SqliteConnection>()

  /** Begins to read by `connection`, until the turn ends. */
  hold(connection: SqliteConnection): void {
    if (this.#held.has(connection)) return
    if (this.#held.size === 0) setImmediate(() => this.end())
    connection.exec('begin')
    this.#held.add(connection)
  }

  /** Ends all reading, so that what is read next sees every commit: for who has just heard of one. */
  end(): void {
    for (const connection of this.#held) connection.endReading()
    this.#held.clear()
  }
}

/** One a thread, as there is one loop. */
export const heldReads = new HeldReads()
