/** A finding of `firn doctor`. */

/** State of the finding; only a `problem` makes the command fail. */
export type Level = 'ok' | 'warning' | 'problem'

/** One line of the report. `remedy` says what to do, where there is something to do. */
export type Finding = {
  readonly level: Level
  /** The subject of the check: `api.port`, a store, an endpoint. */
  readonly subject: string
  readonly text: string
  readonly remedy?: string
}

/** All is well with `subject`. */
export function fine(subject: string, text: string): Finding {
  return { level: 'ok', subject, text }
}

/** Firn works, but less well than it could. */
export function warning(subject: string, text: string, remedy: string): Finding {
  return { level: 'warning', subject, text, remedy }
}

/** Firn does not work until this is mended. */
export function problem(subject: string, text: string, remedy: string): Finding {
  return { level: 'problem', subject, text, remedy }
}

/** One line, and the remedy on a second. */
export function findingText({ level, subject, text, remedy }: Finding): string {
  const line = `${level.padEnd(8)} ${subject}: ${text}`
  return remedy === undefined ? line : `${line}\n         -> ${remedy}`
}
