/** Says, as long as it runs, that this process still writes a store. */

import type { Clock } from '../../core/world.ts'
import { leaseTtlMs } from '../../store/lease.ts'
import { quietStream } from '../quiet-stream.ts'
import type { Stream } from '../stage.ts'
import type { PrimaryStore } from './primary-store.ts'

/** A stream that renews the lease well before it ends. */
export function leaseStream(store: PrimaryStore, clock: Clock): Stream {
  return quietStream('lease', async (signal) => {
    while (!signal.aborted) {
      await store.renew()
      await clock.sleep(leaseTtlMs / 4, signal)
    }
  })
}
