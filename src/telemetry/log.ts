/**
 * Logging: event names and fields, never sentences with values inside.
 *
 * The registry of the loggers and their files is `log-registry.ts`; worker threads log through a
 * port into that of the main thread (`thread.ts`).
 */

import type { RecordLevel } from './log-level.ts'
import type { LogRecord } from './log-line.ts'
import type { LogFields } from './redact.ts'

/**
 * A logger, as code uses it.
 *
 * - `error`: someone must act; `warn`: it healed itself or soon will not
 * - `info`: life of the process, and progress at most every 10 s
 * - `debug`: one line per request or batch
 */
export type Log = {
  readonly debug: (event: string, fields?: LogFields) => void
  readonly info: (event: string, fields?: LogFields) => void
  readonly warn: (event: string, fields?: LogFields) => void
  readonly error: (event: string, fields?: LogFields) => void
  /**
   * The logger of this name, with levels and a file of its own: one per chain (`P`, `C`, an L1's
   * name) and per part (`http`, `db`, `rpc`). Under `main` only; deeper, the same logger with the
   * field `part`.
   */
  readonly child: (name: string) => Log
}

/** Swallows everything. For tests and for code that runs outside a process of ours. */
export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
}

/**
 * A log whose records go to `record`, and whose named children are announced to `announce`.
 *
 * Source of the shape: {@link Log}; used by the main thread and by workers alike.
 */
export function createLog(
  record: (record: Omit<LogRecord, 'time'>) => void,
  announce: (name: string) => unknown,
): Log {
  return namedLog({ record, announce }, 'main', {})
}

type Outlet = {
  readonly record: (record: Omit<LogRecord, 'time'>) => void
  readonly announce: (name: string) => unknown
}

function namedLog(outlet: Outlet, logger: string, always: LogFields): Log {
  const at =
    (level: RecordLevel) =>
    (event: string, fields: LogFields = {}): void =>
      outlet.record({ logger, level, event, fields: { ...always, ...fields } })
  return {
    debug: at('DEBUG'),
    info: at('INFO'),
    warn: at('WARN'),
    error: at('ERROR'),
    child: (name) => {
      if (logger !== 'main') return namedLog(outlet, logger, { ...always, part: name })
      outlet.announce(name)
      return namedLog(outlet, name, {})
    },
  }
}
