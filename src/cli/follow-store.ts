/** Opens a store for reading as soon as a writer has made it. */

import { faultOf } from '../core/fault.ts'
import type { Clock } from '../core/world.ts'
import type { Database } from '../store/engine/database.ts'
import { openStore, type StoreLocation } from '../store/engine/open.ts'
import type { Table } from '../store/engine/table.ts'

/** A store that is there, or will be. */
export type FollowedStore = {
  readonly get: () => Database | undefined
  readonly close: () => Promise<void>
}

const retryMs = 200

/** Tries once before it returns, then until the store is there or `signal` is aborted. */
export async function followStore(
  name: string,
  tables: readonly Table[],
  parts: {
    readonly store: StoreLocation
    readonly clock: Clock
    readonly signal: AbortSignal
    /** Looks into the store; false when what is needed is not in it yet. */
    readonly accept?: (database: Database) => Promise<boolean>
  },
): Promise<FollowedStore> {
  let database: Database | undefined
  const attempt = async (): Promise<boolean> => {
    try {
      const opened = await openStore(parts.store, name, tables, 'read')
      const isReady = (await parts.accept?.(opened)) ?? true
      if (isReady) database = opened
      else await opened.close()
      return isReady
    } catch (error) {
      if (faultOf(error)?.code !== 'store-failed') throw error
      return false
    }
  }
  const follow = async (): Promise<void> => {
    while (!parts.signal.aborted && !(await attempt()))
      await parts.clock.sleep(retryMs, parts.signal)
  }
  const first = await attempt()
  const ended = first ? Promise.resolve() : follow().catch(() => undefined)
  return {
    get: () => database,
    close: async () => {
      await ended
      await database?.close()
    },
  }
}
