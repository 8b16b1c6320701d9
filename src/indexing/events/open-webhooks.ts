/** The store of webhooks as the writing threads read it; the API writes it. */

import { faultOf } from '../../core/fault.ts'
import type { Database } from '../../store/engine/database.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import type { Watch } from '../../store/query/events/watch.ts'
import { watchesOf, webhooksVersion } from '../../store/query/events/webhooks.ts'
import { webhookStore } from '../../store/schema/events.ts'
import { eventTables } from '../../store/schema/stores.ts'

/** Webhooks whose places are collected, read before each commit. */
export type Watches = {
  /** A new list whenever anything changed. */
  readonly now: () => Promise<readonly Watch[]>
  readonly close: () => Promise<void>
}

/** Watches of webhooks on the store with this key; the list is read again only after a change. */
export function openWatches(location: StoreLocation, key: string): Watches {
  let store: Database | undefined
  let version = -1
  let watches: readonly Watch[] = []
  return {
    now: async () => {
      store ??= await openWebhooks(location)
      // The version first: what changes in between is read again the next time.
      const newest = await webhooksVersion(store)
      if (newest !== version) {
        watches = await watchesOf(store, key)
        version = newest
      }
      return watches
    },
    close: async () => store?.close(),
  }
}

/** Opens the store for reading; makes it first where no process has yet. */
async function openWebhooks(location: StoreLocation): Promise<Database> {
  try {
    return await openStore(location, webhookStore, eventTables, 'read')
  } catch (error) {
    if (faultOf(error)?.code !== 'store-failed') throw error
  }
  const made = await openStore(location, webhookStore, eventTables, 'write')
  await made.close()
  return openStore(location, webhookStore, eventTables, 'read')
}
