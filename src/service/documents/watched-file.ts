/** Small files that other processes change while we run: keys. */

import { readFileSync, statSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

import type { WatchedDocument } from './documents.ts'

/** Reads bytes, `undefined` where there are none, and hears of those that it cannot read. */
type Parsed<T> = Omit<WatchedDocument<T>, 'name'>

/**
 * A reader that parses bytes again only after their stamp changed. The first reading is now, and throws
 * what `parse` throws: what is damaged is reported at start, never to a caller.
 */
export function parsedAnew<T>(
  { parse, damaged }: Parsed<T>,
  stamp: () => unknown,
  bytes: () => Uint8Array | undefined,
): () => T {
  let seen = stamp()
  let value = parse(bytes())
  return () => {
    const now = stamp()
    if (now === seen) return value
    seen = now
    try {
      value = parse(bytes())
    } catch (error) {
      damaged(error)
    }
    return value
  }
}

/** A reader of the file at `path`, as {@link parsedAnew}. */
export function watchedFile<T>(path: string, parsed: Parsed<T>): () => T {
  const read = parsedAnew(
    parsed,
    () => stampOf(path),
    () => bytesOf(path),
  )
  let value = read()
  let isOfThisTurn = false
  return () => {
    // A request reads its keys several times; what is changed counts from the next turn of the thread on.
    if (isOfThisTurn) return value
    isOfThisTurn = true
    setImmediate(() => (isOfThisTurn = false))
    value = read()
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
