/** Says, as long as it runs, that this process still writes a store. */

import { faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import { leaseTtlMs } from '../../store/lease.ts'
import { quietStream } from './quiet-stream.ts'
import type { Stream } from './stage.ts'

/**
 * A stream that renews the lease well before it ends. Temporary faults of the store are waited out.
 */
export function leaseStream(
  { renew }: { readonly renew: () => Promise<void> },
  clock: Clock,
): Stream {
  return quietStream('lease', async (signal) => {
    while (!signal.aborted) {
      try {
        await renew()
      } catch (error) {
        if (faultOf(error)?.retryable !== true) throw error
      }
      await clock.sleep(leaseTtlMs / 4, signal)
    }
  })
}
