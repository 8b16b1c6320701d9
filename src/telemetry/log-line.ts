/** A record on a terminal: one line for people, with colours only where wanted. */

import type { RecordLevel } from './log-level.ts'

const colours: Readonly<Record<RecordLevel, string>> = {
  VERBO: '\u001B[90m',
  DEBUG: '\u001B[36m',
  TRACE: '\u001B[34m',
  INFO: '\u001B[32m',
  WARN: '\u001B[33m',
  ERROR: '\u001B[31m',
  FATAL: '\u001B[35m',
}

/** One record. `fields` are plain JSON values. */
export type LogRecord = {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly logger: string
  readonly level: RecordLevel
  readonly event: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** `12:03:04.567 INFO  C  stage committed  from=1 until=64`, with a newline. UTC. */
export function humanLine(record: LogRecord, coloured: boolean): string {
  const clock = new Date(record.time).toISOString().slice(11, 23)
  const level = record.level.padEnd(5)
  const head = coloured ? `${colours[record.level]}${level}\u001B[0m` : level
  let text = `${clock} ${head} ${record.logger}  ${oneLine(record.event)} `
  for (const [name, value] of Object.entries(record.fields)) text += ` ${name}=${shown(value)}`
  return `${text.trimEnd()}\n`
}

function shown(value: unknown): string {
  if (typeof value !== 'string') return oneLine(JSON.stringify(value))
  return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, String.raw`\n`)
}
