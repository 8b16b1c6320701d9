/** Small files that other processes change while we run: keys. */

import { readFileSync, statSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Listener for changes of a watched file. */
export type WatchedFile<T> = {
  readonly path: string
  /** Reads the bytes; `undefined` when there is no file. Throws a fault for a damaged one. */
  readonly parse: (bytes: Uint8Array | undefined) => T
  /** Called once when a change cannot be read; the version read before stays in force. */
  readonly damaged: (error: unknown) => void
}

/**
 * A reader that looks at the file again only after it changed. The first reading is now, and throws
 * what `parse` throws: a damaged file is reported at start, never to a caller.
 */
export function watchedFile<T>({ path, parse, damaged }: WatchedFile<T>): () => T {
  let seen = stampOf(path)
  let value = parse(bytesOf(path))
  let isOfThisTurn = false
  return () => {
    // A request reads its keys several times; what is changed counts from the next turn of the thread on.
    if (isOfThisTurn) return value
    isOfThisTurn = true
    setImmediate(() => (isOfThisTurn = false))
    const stamp = stampOf(path)
    if (stamp === seen) return value
    seen = stamp
    try {
      value = parse(bytesOf(path))
    } catch (error) {
      damaged(error)
    }
    return value
  }
}

/** The bytes of a file, `undefined` when it is missing. */
export function bytesOf(path: string): Uint8Array | undefined {
  return stampOf(path) === '' ? undefined : readFileSync(path)
}

/** Writers replace the file, so that a new one has another number even within a millisecond. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`
}

// Files of secrets, written whole or not at all.

/** Writes beside the file and renames; readable by the owner only. */
export function writeWhole(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, content, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
