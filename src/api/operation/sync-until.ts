/** Figures that processes share by a store: each adds its own new ones every second. */

import { faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'

const syncMs = 1_000

/**
 * Calls `exchange` every second until `signal`, and once more. A store that is away is logged once,
 * as `warning`.
 */
export async function syncUntil(
  signal: AbortSignal,
  exchange: () => Promise<void>,
  { clock, log, warning }: { readonly clock: Clock; readonly log: Log; readonly warning: string },
): Promise<void> {
  let isAway = false
  while (!signal.aborted) {
    await clock.sleep(syncMs, signal).catch(() => undefined)
    try {
      await exchange()
      isAway = false
    } catch (error) {
      const reason = faultOf(error)?.message ?? error
      if (!isAway) log.warn(warning, { reason })
      isAway = true
    }
  }
}
