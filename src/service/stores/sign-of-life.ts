/**
 * Says to the other processes of a deployment that this one lives, from its main thread.
 *
 * The thread that writes has work for seconds; where the machine is short of processor time its leases stand still, and
 * others would take its chains over, again and again. The main thread has little to do where another one writes.
 */

import { faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Database } from '../../store/engine/database.ts'
import { leaseTtlMs } from '../../store/lease.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { showLife } from '../../store/query/deployment.ts'
import { deploymentStore, deploymentTables } from '../../store/schema/deployment.ts'
import { watchHeartbeats } from '../../telemetry/threads/heartbeat.ts'
import type { Threads } from '../../telemetry/threads/thread.ts'

/** A thread that did nothing for so long hangs: others are to take its chains. */
const longestTurnMs = 30_000

/** Shows life until `signal` is aborted, and while each thread gets on. */
export async function keepShowingLife(process: {
  readonly location: StoreLocation
  readonly owner: string
  readonly clock: Clock
  readonly threads: Pick<Threads, 'followHeartbeats'>
  readonly signal: AbortSignal
}): Promise<void> {
  const { location, owner, clock, threads, signal } = process
  const watch = watchHeartbeats({ maxSilenceMs: longestTurnMs, now: clock.monotonic })
  threads.followHeartbeats(watch.watch)
  let store: Database | undefined
  const show = async (): Promise<void> => {
    if (watch.silent().length > 0) return
    store ??= await openStore(location, deploymentStore, deploymentTables, 'write')
    await showLife(store, owner, clock.now())
  }
  try {
    while (!signal.aborted) {
      await show().catch((error: unknown) => {
        // A server that is away forgets the process, and knows it again when it is back.
        if (faultOf(error)?.retryable !== true) throw error
      })
      await clock.sleep(leaseTtlMs / 4, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await store?.close()
  }
}
