/** Files of segments as bytes: their names, their header, and how they come to lie on a disk. */

import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'

import { Fault } from '../../core/fault.ts'

/** Ending of the names of segments. */
export const segmentEnding = '.sqlite'
/** Ending of the names of segments in the making. */
export const draftEnding = '.part'
/** A cold question reads about as many pages of 4 as of 16 KiB, which are a fourth of the bytes. */
export const pageBytes = 4_096
const chunkBytes = 1_048_576
/** The file that says which place of segments it lies in. */
export const identityName = 'identity'

/** Of the header of an SQLite file, and where in it the number of its pages stands. */
const headerBytes = 100
const pageCountAt = 28
/** Offsets in the header of what differs between equal files, and what stands there in a segment. */
const settledFields = [
  { at: 24, value: 1 },
  { at: 92, value: 1 },
  { at: 96, value: 3_000_000 },
] as const

/** Tells a file from itself after a change: its number on the disk, its size and its time. */
export type FileStamp = { readonly ino: number; readonly size: number; readonly mtimeMs: number }

/** The stamp of a file or a link; `undefined` where there is none. */
export function stampOf(path: string): FileStamp | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found && { ino: found.ino, size: found.size, mtimeMs: found.mtimeMs }
}

/**
 * The stamp of a file that can be a segment as far as its size and header say. Whoever writes into one with
 * SQLite changes the settled fields. Throws `store-failed` that says what is wrong.
 */
export function sealedStamp(path: string): FileStamp {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new Fault('store-failed', `segment is missing: ${path}`)
  if (!found.isFile())
    throw new Fault('store-failed', `segment is a link or a folder, not a file: ${path}`)
  const header = Buffer.alloc(headerBytes)
  const handle = onDisk(() => openSync(path, 'r'))
  try {
    onDisk(() => readSync(handle, header))
  } finally {
    closeSync(handle)
  }
  if (found.size === 0 || header.readUInt32BE(pageCountAt) * pageBytes !== found.size)
    throw new Fault('store-failed', `segment is empty or cut short: ${path}`)
  if (settledFields.some(({ at, value }) => header.readUInt32BE(at) !== value))
    throw new Fault('store-failed', `segment was changed after it was written: ${path}`)
  return found
}

/** Writes what stands in the header of every segment. */
export function settle(path: string): void {
  const handle = openSync(path, 'r+')
  try {
    for (const { at, value } of settledFields) {
      const field = Buffer.alloc(4)
      field.writeUInt32BE(value)
      writeSync(handle, field, 0, 4, at)
    }
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** The name that follows from the bytes of a file. As {@link hashOfFile}. */
export async function nameOf(path: string, pause?: () => Promise<unknown>): Promise<string> {
  return (await hashOfFile(path, pause)).slice(0, 32)
}

/**
 * SHA-256 of a file, in hex. Between pieces `pause` is awaited, by default a turn of the thread. Throws
 * `store-failed`. Cost: half a millisecond for a MiB, and reading it.
 */
export async function hashOfFile(
  path: string,
  pause: () => Promise<unknown> = turn,
): Promise<string> {
  const handle = onDisk(() => openSync(path, 'r'))
  try {
    const hash = createHash('sha256')
    const chunk = new Uint8Array(chunkBytes)
    for (;;) {
      const read = onDisk(() => readSync(handle, chunk))
      if (read === 0) return hash.digest('hex')
      hash.update(chunk.subarray(0, read))
      await pause()
    }
  } finally {
    closeSync(handle)
  }
}

/** Has the disk keep the file `part`, then gives it its name. Throws `store-full`, `store-failed`. */
export function putFile(part: string, path: string): void {
  onDisk(() => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    synced(part)
    renameSync(part, path)
    synced(dirname(path))
  })
}

function synced(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Throws `store-failed` where the file at `path` has other bytes than those of segment `name`. */
export async function checkName(
  path: string,
  name: string,
  pause?: () => Promise<unknown>,
): Promise<void> {
  if (!existsSync(path)) throw new Fault('store-failed', `segment is missing: ${path}`)
  if ((await nameOf(path, pause)) !== name)
    throw new Fault('store-failed', `segment has other bytes than were written: ${path}`)
}

/** Does `work` on a disk. Throws `store-full`, `store-failed`. */
export function onDisk<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Fault || !(error instanceof Error)) throw error
    const code = 'code' in error ? String(error.code) : ''
    if (code === '') throw error
    const isFull = code === 'ENOSPC' || code === 'EDQUOT'
    const fault = isFull ? 'store-full' : 'store-failed'
    throw new Fault(fault, error.message, { cause: error, detail: { code } })
  }
}
