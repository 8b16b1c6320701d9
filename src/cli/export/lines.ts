/** Rows as lines of text, written no faster than the reader takes them. */

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'

import { Fault } from '../../core/fault.ts'
import { ownValue } from '../../core/own-value.ts'
import type { RowSink } from './row-sink.ts'
import type { Row } from './rows.ts'

type LineSink = {
  readonly write: (line: string) => Promise<void>
  readonly closed: () => boolean
  readonly end: () => Promise<void>
}

/**
 * Lines with `columns` of each row, to the file `path` or to standard output. Throws `bad-parameter`
 * where the file cannot be made.
 */
export async function openLines(
  path: string | undefined,
  columns: readonly string[],
  format: 'csv' | 'jsonl',
): Promise<RowSink> {
  const lines = await openFile(path)
  if (format === 'csv') await lines.write(columns.map(csvCell).join(','))
  return { ...lines, write: (row) => lines.write(rowLine(row, columns, format)) }
}

async function openFile(path: string | undefined): Promise<LineSink> {
  if (path === undefined) return sinkOver(process.stdout, false)
  const stream = createWriteStream(path, { flags: 'w' })
  try {
    await once(stream, 'open')
  } catch (cause) {
    throw new Fault('bad-parameter', `file cannot be written: ${path}`, { cause })
  }
  return sinkOver(stream, true)
}

function rowLine(row: Row, columns: readonly string[], format: 'csv' | 'jsonl'): string {
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
