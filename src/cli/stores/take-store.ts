/** A store that a command writes: nobody else may meanwhile. */

import { Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import { withBucket } from '../../service/stores/bucket-settings.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import type { Database } from '../../store/engine/database.ts'
import { awaitLease, type Lease, leaseTtlMs, renewLease } from '../../store/lease.ts'
import { openStore } from '../../store/open.ts'
import type { RepairWork } from './store-verdict.ts'

/** Within this time a process that is gone or hangs has lost the store; a live process has not. */
const takenWithinMs = 2 * leaseTtlMs
const renewEveryMs = leaseTtlMs / 4

/** A store whose lease is this process's. */
type Taken = {
  readonly database: Database
  readonly lease: Lease
  /**
   * Keeps the lease while `during` works elsewhere, whose signal aborts when it is lost. Throws `lease-lost`
   * then, and what `during` throws.
   */
  readonly kept: <T>(during: (signal: AbortSignal) => Promise<T>) => Promise<T>
}

/** Does `act` with the store to mend, open for writing. Throws `lease-lost` while a Firn writes it, `store-*`. */
export async function withTaken<T>(
  { config, store, world, owner }: Omit<RepairWork, 'verdict'>,
  act: (taken: Taken) => Promise<T>,
): Promise<T> {
  const { clock } = world
  const location = withBucket(storeLocation(config), config, world)
  await using database = await openStore(
    { ...location, freeze: {} },
    store.name,
    store.tables,
    'write',
  )
  const lease = await taken(database, owner, clock)
  return await act({
    database,
    lease,
    kept: (during) => whileKept(() => renewLease(database, lease, clock), clock, during),
  })
}

async function taken(database: Database, owner: string, clock: Clock): Promise<Lease> {
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

async function whileKept<T>(
  renew: () => unknown,
  clock: Clock,
  during: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const lost = new AbortController()
  const keeping = (async (): Promise<void> => {
    try {
      for (;;) {
        await clock.sleep(renewEveryMs, over.signal)
        await renew()
      }
    } catch (error) {
      if (!over.signal.aborted) lost.abort(error)
    }
  })()
  try {
    const result = await during(lost.signal)
    lost.signal.throwIfAborted()
    return result
  } finally {
    over.abort()
    await keeping
  }
}
