/** The time of what is shown: that of the machine, or of recordings, whose time ends where they end. */

import type { Status } from '../../../shape/status.ts'

let behindMs = 0
let endMs = Number.POSITIVE_INFINITY

/** Milliseconds since 1970. */
export function now(): number {
  return Math.min(endMs, Date.now() - behindMs)
}

/** Follows the recordings of a status. */
export function followRecording(recording: Status['recording']): void {
  if (recording === undefined) return
  behindMs = Date.now() - recording.time * 1_000
  endMs = recording.endTime * 1_000
}
