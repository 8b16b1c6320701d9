/** A store that a command writes: nobody else may meanwhile. */

import { Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Database } from '../../store/engine/database.ts'
import { awaitLease, type Lease, leaseTtlMs, renewLease } from '../../store/lease.ts'

/** Within this time a process that is gone or hangs has lost the store; a live process has not. */
const takenWithinMs = 2 * leaseTtlMs
const renewEveryMs = leaseTtlMs / 4

/** Takes the lease of a store. Throws `lease-lost` while a Firn writes it. */
export async function takeStore(database: Database, owner: string, clock: Clock): Promise<Lease> {
  const signal = AbortSignal.timeout(takenWithinMs)
  try {
    return await awaitLease(database, owner, { clock, signal })
  } catch (cause) {
    if (!signal.aborted) throw cause
    throw new Fault('lease-lost', `another Firn writes this data; stop it: ${database.name}`, {
      cause,
    })
  }
}

/**
 * Keeps the lease of a store while `work` writes another one. The signal of `work` aborts when the lease is
 * lost. Throws `lease-lost` then, and what `work` throws.
 */
export async function whileKept<T>(
  database: Database,
  of: { readonly lease: Lease; readonly clock: Clock },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const lost = new AbortController()
  const keeping = (async (): Promise<void> => {
    try {
      for (;;) {
        await of.clock.sleep(renewEveryMs, over.signal)
        await renewLease(database, of.lease, of.clock)
      }
    } catch (error) {
      if (!over.signal.aborted) lost.abort(error)
    }
  })()
  try {
    const result = await work(lost.signal)
    lost.signal.throwIfAborted()
    return result
  } finally {
    over.abort()
    await keeping
  }
}
