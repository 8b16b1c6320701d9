/** The front door of the data API with its limits, and what operators see of it. */

import type { Clock } from '../../core/world.ts'
import { createLoadGate, lanes, type GateLimits } from '../../http/load-gate.ts'
import { watchLoopDelay } from '../../http/loop-delay.ts'
import { createSocketGuard, type SocketLimits } from '../../http/socket-guard.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { Log } from '../../telemetry/log.ts'
import type { OperationShape } from '../operation/operation.ts'
import {
  connectionRefusals,
  createFrontDoor,
  type FrontDoor,
  type FrontDoorParts,
} from './front-door.ts'
import { createLanes } from './lanes.ts'

/** Limits of callers, together and each. */
export type LoadLimits = SocketLimits & GateLimits

/** The defaults of the settings. */
export const usualLoadLimits: LoadLimits = {
  maxPerAddress: 1_024,
  maxUnsentBytes: 134_217_728,
  sendTimeoutMs: 60_000,
  maxUnderWay: 32,
  maxUnderWayPerAddress: 24,
  maxWaiting: 512,
  maxWaitingPerAddress: 256,
  maxQueuedMs: 125,
}

/** Parameters of {@link openDoor}. */
export type LoadParts = Pick<FrontDoorParts, 'addressOf' | 'common'> & {
  readonly limits: LoadLimits
  readonly shapes: readonly OperationShape[]
  readonly clock: Clock
  readonly log: Log
  readonly gauges: Gauges | undefined
}

// Refusals come in thousands: the log has their sums.
const logEveryMs = 10_000

/** A door, and what ends its watch. */
export function openDoor(parts: LoadParts): {
  readonly door: FrontDoor
  readonly close: () => void
} {
  const { limits, clock, log, gauges } = parts
  const delay = watchLoopDelay(clock.monotonic)
  const refusals = summary((refused) => log.warn('requests refused', { refused }), clock)
  const gate = createLoadGate({
    limits,
    now: clock.monotonic,
    loopDelayMs: delay.ms,
    turnedAway: (lane, outcome) => {
      gauges?.add('firn_api_turned_away_total', 1, { lane, outcome })
      if (outcome !== 'gone') refusals()
    },
  })
  const guard = createSocketGuard({
    limits,
    refusal: connectionRefusals(),
    connected: gate.connected,
    dropped: (reason) =>
      gauges?.add('firn_http_dropped_connections_total', 1, { listener: 'api', reason }),
  })
  gauges?.onRead(() => {
    for (const lane of lanes) {
      const { waiting, underWay } = gate.count(lane)
      gauges.set('firn_api_waiting_requests', waiting, { lane })
      gauges.set('firn_api_under_way_requests', underWay, { lane })
    }
    gauges.set('firn_http_unsent_bytes', guard.unsentBytes(), { listener: 'api' })
  })
  const { addressOf, common } = parts
  const lanesOf = createLanes(parts.shapes)
  const door = createFrontDoor({ gate, guard, lanes: lanesOf, addressOf, common })
  return { door, close: delay.stop }
}

/** Tells the count at the first call and then at most every {@link logEveryMs}. */
function summary(tell: (count: number) => void, clock: Clock): () => void {
  let count = 0
  let toldAt = Number.NEGATIVE_INFINITY
  return () => {
    count++
    const now = clock.monotonic()
    if (now - toldAt < logEveryMs) return
    tell(count)
    count = 0
    toldAt = now
  }
}
