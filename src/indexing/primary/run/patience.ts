/** Failures that a primary network waits out, the pauses after them, and when it is called stopped. */

import type { Fault, FaultCode } from '../../../core/fault.ts'
import { growingPause } from '../../../core/waiting.ts'

/** Pauses after a failure that may pass: doubled each time, up to the most. */
const firstPauseMs = 500
const mostPauseMs = 30_000
/** A database that comes back is the deployment's own: it is found soon. */
const mostStorePauseMs = 2_000
/**
 * Refusals in a row after which a node is believed not to offer a chain that never was there, and
 * blocks in a row after which it is believed that they contradict the stored ones. With the pauses
 * between them they take a minute. The chain is called stopped then, and the node is still read.
 */
const failuresBelieved = 8
/** Faults that no node can put right. */
const ownFaults: readonly FaultCode[] = ['bad-config', 'store-version', 'rows-altered']

/** The failures that are waited out, and how long a chain is called syncing meanwhile. */
export type Patience = {
  /**
   * Returns whether what failed may come right: all that a node or another process says, as each may be
   * restarted or mended. A recording says the same each time.
   */
  readonly waitsFor: (fault: Fault | undefined) => fault is Fault
  /** Returns whether the last failure was repeated so often that it is believed. */
  readonly believes: () => boolean
  /** Something went well. */
  readonly renew: () => void
}

/** `wasThere`: whether the node once had what it refuses now, as one that is restarted. */
export function newPatience(wasThere: () => boolean, isRecorded: boolean): Patience {
  let failures = 0
  return {
    waitsFor: (fault): fault is Fault => {
      if (fault === undefined || ownFaults.includes(fault.code)) return false
      if (!fault.retryable && !(fault.code === 'node-refused' && wasThere())) failures++
      return fault.retryable || !isRecorded
    },
    believes: () => failures >= failuresBelieved,
    renew: () => {
      failures = 0
    },
  }
}

/** Pause after the failure `fault`, which `failures` others came before, in milliseconds. */
export function pauseAfter(failures: number, fault: Fault): number {
  const longestMs = fault.code === 'store-failed' ? mostStorePauseMs : mostPauseMs
  return growingPause(failures, { firstMs: firstPauseMs, longestMs })
}
