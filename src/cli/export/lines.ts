/** Rows as lines of text, written no faster than the reader takes them. */

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'

import { Fault } from '../../core/fault.ts'
import { ownValue } from '../../core/own-value.ts'
import type { Row } from './rows.ts'

/** How rows are written. */
export type Format = 'csv' | 'jsonl'

/** Takes lines; `closed` says that nobody reads any more (`| head`). */
export type LineSink = {
  readonly write: (line: string) => Promise<void>
  readonly closed: () => boolean
  readonly end: () => Promise<void>
}

/** Standard output, or `path`. Throws `bad-parameter` where the file cannot be made. */
export async function openSink(path: string | undefined): Promise<LineSink> {
  if (path === undefined) return sinkOver(process.stdout, false)
  const stream = createWriteStream(path, { flags: 'w' })
  try {
    await once(stream, 'open')
  } catch (cause) {
    throw new Fault('bad-parameter', `file cannot be written: ${path}`, { cause })
  }
  return sinkOver(stream, true)
}

/** First line of a CSV file. */
export function headLine(columns: readonly string[]): string {
  return columns.map(csvCell).join(',')
}

/** One row, its values in the order of `columns`. */
export function rowLine(row: Row, columns: readonly string[], format: Format): string {
  return format === 'jsonl'
    ? JSON.stringify(row, [...columns])
    : columns.map((column) => csvCell(ownValue(row, column) ?? '')).join(',')
}

/**
 * A cell of RFC 4180. Text of contracts may begin like a formula: a quote in front keeps
 * spreadsheets from running it.
 */
function csvCell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function sinkOver(stream: Writable, isFile: boolean): LineSink {
  let failure: Error | undefined
  let isClosed = false
  let goOn = (): void => undefined
  stream.on('error', (error: NodeJS.ErrnoException) => {
    isClosed = true
    if (error.code !== 'EPIPE') failure = error
    goOn()
  })
  stream.on('drain', () => goOn())
  const check = (): void => {
    if (failure !== undefined)
      throw new Fault('store-failed', 'the export cannot be written', { cause: failure })
  }
  return {
    closed: () => isClosed,
    write: async (line) => {
      check()
      if (isClosed || stream.write(`${line}\n`)) return
      await new Promise<void>((resolve) => (goOn = resolve))
      check()
    },
    end: async () => {
      if (isFile) await new Promise<void>((resolve) => stream.end(resolve))
      check()
    },
  }
}
