/**
 * The mark of the process that writes an SQLite store, or a data folder.
 *
 * A second, empty SQLite file whose exclusive lock the writer holds as long as it lives. The
 * operating system frees the lock however the process ends, so the next one starts at once after
 * a crash and never beside a living writer. (The lock of the store itself cannot serve: readers
 * share it, and it is held only during a transaction.)
 */

import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

import { sqliteFault } from './connection.ts'

/** SQLITE_BUSY: another process holds the lock. */
const sqliteBusy = 5

/** Holds, or tries to hold, the lock of one file. */
export class Claim {
  readonly #path: string
  readonly #name: string
  #held: DatabaseSync | undefined

  constructor(path: string, name: string) {
    this.#path = path
    this.#name = name
  }

  /** Returns whether this process holds the lock now. Does not wait. */
  take(): boolean {
    if (this.#held !== undefined) return true
    const database = new DatabaseSync(this.#path, { timeout: 0 })
    try {
      database.exec('begin exclusive')
      this.#held = database
      return true
    } catch (error) {
      database.close()
      if (isBusy(error)) return false
      throw sqliteFault(this.#name, error)
    }
  }

  /** Frees the lock. */
  release(): void {
    this.#held?.close()
    this.#held = undefined
  }

  /** Frees the lock, which nobody will take again, and removes its file. */
  remove(): void {
    this.release()
    try {
      rmSync(this.#path, { force: true })
    } catch {
      // Windows keeps a file that another process looks at: an empty file stays.
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}
