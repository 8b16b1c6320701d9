/**
 * Reading in turns of the loop. The statements of a turn read one state and take locks once. Each turn begins anew,
 * so that a writer that folds its log finds a moment without readers however many requests there are.
 */

import { loopTurn } from '../../core/loop-turn.ts'
import type { SqliteConnection } from './connection.ts'

/** The reading of this thread. */
class Turn {
  readonly #held = new Set<SqliteConnection>()

  /** Reads by `connection` in this turn where it has time left, else in one of the next. */
  read<T>(connection: SqliteConnection, read: () => T): T | Promise<T> {
    return loopTurn.run(() => {
      if (this.#held.size === 0) loopTurn.atEnd(this.end)
      if (!this.#held.has(connection)) {
        connection.beginReading()
        this.#held.add(connection)
      }
      return read()
    })
  }

  /** Ends all reading, so that what is read next sees every commit: for who has just heard of one. */
  readonly end = (): void => {
    for (const connection of this.#held) connection.endReading()
    this.#held.clear()
  }
}

/** One a thread, as there is one loop. */
export const turn = new Turn()
