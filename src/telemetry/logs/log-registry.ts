/**
 * The loggers of a process, with their files and the display.
 *
 * Every logger has a name and two levels of its own: one for its file, one for the display. The
 * registry holds them all; the administration RPC reads and sets their levels while the process
 * runs. Only the main thread has one, and only `firn start` makes it: pino is 27 modules.
 */

import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

import { pino } from 'pino'

import { Fault } from '../../core/fault.ts'
import { levelRank, type LogLevel, type RecordLevel } from '../log-level.ts'
import { humanLine, type LogRecord } from '../log-line.ts'
import { createLog, type Log } from '../log.ts'
import { plainFields } from '../redact.ts'

/** Both levels of a logger: `logLevel` filters its file, `displayLevel` the display. */
export type LoggerLevels = { readonly logLevel: LogLevel; readonly displayLevel: LogLevel }

/** Levels to set; those that are absent stay. */
export type LevelChange = {
  readonly [name in keyof LoggerLevels]?: LogLevel | undefined
}

/** All loggers of the process. */
export type LogRegistry = {
  /** The root logger, `main`. */
  readonly log: Log
  /** Names in order of creation. */
  readonly names: () => readonly string[]
  readonly levels: (name: string) => LoggerLevels | undefined
  /** Sets one or both levels, at once and in every thread. Throws `not-found`. */
  readonly setLevels: (name: string, change: LevelChange) => void
  /** Takes a record from elsewhere: a worker thread, or code that needs VERBO, TRACE or FATAL. */
  readonly record: (record: Omit<LogRecord, 'time'>) => void
  /** The newest records of INFO and above, oldest first; at most {@link mostRecent}. */
  readonly recent: () => readonly LogRecord[]
  /** One cell, shared with workers: the lowest level any logger lets through. */
  readonly floor: Int32Array<SharedArrayBuffer>
  /** Closes the files. Later records go to the display only. */
  readonly close: () => void
}

type LogOptions = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Where lines for people go. `undefined` shows nothing. */
  readonly display: ((line: string) => void) | undefined
  /** `plain` and `colors` are for people, `json` for machines. */
  readonly format: 'plain' | 'colors' | 'json'
  /** Folder of the log files, `<name>.log` each. `undefined` writes none. */
  readonly directory: string | undefined
  readonly logLevel: LogLevel
  readonly displayLevel: LogLevel
}

type Logger = {
  levels: LoggerLevels
  readonly pino: pino.Logger<PinoLevel, true>
  readonly file: LogSink | undefined
}

type PinoLevel = Lowercase<RecordLevel>

const pinoLevels: Readonly<Record<PinoLevel, number>> = {
  verbo: levelRank.VERBO,
  debug: levelRank.DEBUG,
  trace: levelRank.TRACE,
  info: levelRank.INFO,
  warn: levelRank.WARN,
  error: levelRank.ERROR,
  fatal: levelRank.FATAL,
}

const pinoNames: Readonly<Record<RecordLevel, PinoLevel>> = {
  VERBO: 'verbo',
  DEBUG: 'debug',
  TRACE: 'trace',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
  FATAL: 'fatal',
}

const mostRecent = 40

/** The loggers of a process. `main` exists from the start. */
export function createLogs(options: LogOptions): LogRegistry {
  const loggers = new Map<string, Logger>()
  const recent: LogRecord[] = []
  const floor = new Int32Array(new SharedArrayBuffer(4))
  const initial = { logLevel: options.logLevel, displayLevel: options.displayLevel }

  function settle(): void {
    let lowest = levelRank.OFF
    for (const { levels } of loggers.values()) lowest = Math.min(lowest, lowerRank(levels))
    Atomics.store(floor, 0, lowest)
  }

  function loggerOf(name: string): Logger {
    const known = loggers.get(name)
    if (known !== undefined) return known
    const made = createLogger(name, initial, options)
    loggers.set(name, made)
    settle()
    return made
  }

  function setLevels(name: string, change: LevelChange): void {
    const logger = loggers.get(name)
    if (logger === undefined) throw new Fault('not-found', `no logger of this name: ${name}`)
    const { logLevel, displayLevel } = logger.levels
    logger.levels = {
      logLevel: change.logLevel ?? logLevel,
      displayLevel: change.displayLevel ?? displayLevel,
    }
    logger.pino.level = pinoThreshold(logger.levels)
    settle()
  }

  function record({ logger, level, event, fields }: Omit<LogRecord, 'time'>): void {
    const target = loggerOf(logger)
    if (levelRank[level] >= levelRank.INFO) {
      recent.push({ time: options.now(), logger, level, event, fields: plainFields(fields) })
      if (recent.length > mostRecent) recent.shift()
    }
    // Cheaper than a call to pino: most debug records stop here, before their fields are looked at.
    if (levelRank[level] < lowerRank(target.levels)) return
    target.pino[pinoNames[level]](plainFields(fields), event)
  }

  loggerOf('main')
  return {
    log: createLog(record, loggerOf),
    names: () => [...loggers.keys()],
    levels: (name) => loggers.get(name)?.levels,
    setLevels,
    record,
    recent: () => [...recent],
    floor,
    close: () => {
      for (const { file } of loggers.values()) file?.close()
    },
  }
}

function createLogger(name: string, levels: LoggerLevels, options: LogOptions): Logger {
  const { directory } = options
  const file = directory === undefined ? undefined : logFile(directory, name)
  const destination = {
    // Pino fills `lastLevel` before each write when the destination carries this symbol.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string): void {
      const rank = this.lastLevel
      if (rank >= levelRank[logger.levels.logLevel]) file?.write(line)
      if (rank >= levelRank[logger.levels.displayLevel]) options.display?.(shown(line, options))
    },
  }
  const logger: Logger = {
    levels,
    file,
    pino: pino<PinoLevel, true>(
      {
        customLevels: pinoLevels,
        useOnlyCustomLevels: true,
        level: pinoThreshold(levels),
        base: { logger: name },
        formatters: { level: (label) => ({ level: label }) },
        timestamp: () => `,"timestamp":"${new Date(options.now()).toISOString()}"`,
      },
      destination,
    ),
  }
  return logger
}

function lowerRank(levels: LoggerLevels): number {
  return Math.min(levelRank[levels.logLevel], levelRank[levels.displayLevel])
}

function pinoThreshold(levels: LoggerLevels): PinoLevel | 'silent' {
  const { logLevel, displayLevel } = levels
  const lower = levelRank[logLevel] < levelRank[displayLevel] ? logLevel : displayLevel
  return lower === 'OFF' ? 'silent' : pinoNames[lower]
}

function shown(line: string, { format }: LogOptions): string {
  if (format === 'json') return line
  const { level, timestamp, logger, msg, ...fields }: Record<string, unknown> = JSON.parse(line)
  const record = {
    time: Date.parse(String(timestamp)),
    logger: String(logger),
    level: recordLevelOf(level),
    event: String(msg),
    fields,
  }
  return humanLine(record, format === 'colors')
}

function recordLevelOf(label: unknown): RecordLevel {
  for (const level of recordLevels) if (pinoNames[level] === label) return level
  return 'INFO'
}

const recordLevels = ['VERBO', 'DEBUG', 'TRACE', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const

// A log file that starts anew when it is full, keeping a few old ones beside it.

/** Where lines go; every line ends with a newline. Never throws. */
type LogSink = { readonly write: (line: string) => void; readonly close: () => void }

/** Limits at which a log file turns over. */
type Rotation = {
  /** A file is closed before it grows beyond this. */
  readonly maxBytes: number
  /** Old files kept, `<name>.log.1` being the youngest. */
  readonly keep: number
}

/** The original's: 8 MB a file, seven old files. Source: avalanchego config/flags.go. */
const defaultRotation: Rotation = { maxBytes: 8_000_000, keep: 7 }

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
