/** Opens a store for reading as soon as a writer has made it. */

import { faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Database } from '../../store/engine/database.ts'
import type { Table } from '../../store/engine/table.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import type { Log } from '../../telemetry/log.ts'

/** A store that is there, or will be. */
export type FollowedStore = {
  readonly get: () => Database | undefined
  readonly close: () => Promise<void>
}

const retryMs = 200

/** How a store is followed. */
export type FollowOptions = {
  readonly store: StoreLocation
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/**
 * Tries once before it returns, then until the store is there or `signal` is aborted. Throws what
 * waiting does not heal; what of it comes later is logged, and the store stays absent.
 */
export async function followStore(
  name: string,
  tables: readonly Table[],
  options: FollowOptions & {
    /** Looks into the store; false when what is needed is not in it yet. */
    readonly accept?: (database: Database) => Promise<boolean>
  },
): Promise<FollowedStore> {
  let database: Database | undefined
  const attempt = async (): Promise<boolean> => {
    let opened: Database | undefined
    try {
      opened = await openStore(options.store, name, tables, 'read')
      const isReady = (await options.accept?.(opened)) ?? true
      if (isReady) database = opened
      else await opened.close()
      return isReady
    } catch (error) {
      await opened?.close()
      if (faultOf(error)?.code !== 'store-failed') throw error
      return false
    }
  }
  const follow = async (): Promise<void> => {
    while (!options.signal.aborted && !(await attempt()))
      await options.clock.sleep(retryMs, options.signal)
  }
  const first = await attempt()
  const ended = first
    ? Promise.resolve()
    : follow().catch((error: unknown) => {
        if (!options.signal.aborted)
          options.log.error('store is not served', { store: name, error })
      })
  return {
    get: () => database,
    close: async () => {
      await ended
      await database?.close()
    },
  }
}
