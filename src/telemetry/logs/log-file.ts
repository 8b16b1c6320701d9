/** A log file that starts anew when it is full, keeping a few old ones beside it. */

import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Where lines go; every line ends with a newline. Never throws. */
export type LogSink = { readonly write: (line: string) => void; readonly close: () => void }

/** Limits at which a log file turns over. */
export type Rotation = {
  /** A file is closed before it grows beyond this. */
  readonly maxBytes: number
  /** Old files kept, `<name>.log.1` being the youngest. */
  readonly keep: number
}

/** The original's: 8 MB a file, seven old files. Source: avalanchego config/flags.go. */
export const defaultRotation: Rotation = { maxBytes: 8_000_000, keep: 7 }

/**
 * Lines into `<directory>/<name>.log`, opened at the first line.
 *
 * Written at once, so that nothing is lost when the process ends. A disk that refuses costs the
 * line, never the process; the next line tries again.
 */
export function logFile(directory: string, name: string, rotation = defaultRotation): LogSink {
  const path = join(directory, `${name.replaceAll(/[^A-Za-z0-9._-]/g, '_')}.log`)
  let file: number | undefined
  let size = 0

  function open(): number {
    mkdirSync(directory, { recursive: true, mode: 0o750 })
    const opened = openSync(path, 'a', 0o640)
    size = fstatSync(opened).size
    file = opened
    return opened
  }

  function close(): void {
    const open = file
    file = undefined
    if (open !== undefined) closeSync(open)
  }

  function closeQuietly(): void {
    try {
      close()
    } catch {
      // The disk is gone, and the descriptor with it.
    }
  }

  function turnOver(): void {
    close()
    for (let age = rotation.keep - 1; age >= 1; age--)
      moveIfThere(`${path}.${age}`, `${path}.${age + 1}`)
    if (rotation.keep > 0) moveIfThere(path, `${path}.1`)
  }

  return {
    write(line) {
      try {
        let target = file ?? open()
        const bytes = Buffer.byteLength(line)
        if (size > 0 && size + bytes > rotation.maxBytes) {
          turnOver()
          target = open()
        }
        writeSync(target, line)
        size += bytes
      } catch {
        // A full or vanished disk must not end the process, and there is nowhere to report it.
        closeQuietly()
      }
    },
    close,
  }
}

function moveIfThere(from: string, until: string): void {
  try {
    renameSync(from, until)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}
