/**
 * Levels of a logger, in the original's order, from most to least talkative.
 *
 * TRACE is quieter than DEBUG here, the reverse of most loggers.
 * Source: avalanchego utils/logging/level.go.
 */

/** Every level a logger can be set to. `OFF` lets nothing through. */
export const logLevels = [
  'VERBO',
  'DEBUG',
  'TRACE',
  'INFO',
  'WARN',
  'ERROR',
  'FATAL',
  'OFF',
] as const

/** A level a logger can be set to. */
export type LogLevel = (typeof logLevels)[number]

/** A level a record can have: all but `OFF`. */
export type RecordLevel = Exclude<LogLevel, 'OFF'>

/**
 * Place in the order: 10 for VERBO, then steps of ten; a record passes when its own is not lower.
 */
export const levelRank: Readonly<Record<LogLevel, number>> = {
  VERBO: 10,
  DEBUG: 20,
  TRACE: 30,
  INFO: 40,
  WARN: 50,
  ERROR: 60,
  FATAL: 70,
  OFF: 80,
}

/**
 * The level `text` names in any case, without surrounding space; `undefined` for any other text.
 */
export function parseLogLevel(text: string): LogLevel | undefined {
  const upper = text.toUpperCase()
  return logLevels.find((level) => level === upper)
}
