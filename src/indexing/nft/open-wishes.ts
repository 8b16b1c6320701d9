/** The store in which callers' wishes to read metadata again lie; the API writes it. */

import { faultOf } from '../../core/fault.ts'
import type { Database } from '../../store/engine/database.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { nftRequestStore, nftRequestTables } from '../../store/schema/nft.ts'

/** The store, opened as soon as a process has made it. */
export type Wishes = {
  readonly get: () => Promise<Database | undefined>
  readonly close: () => Promise<void>
}

/** Opens nothing yet. */
export function openWishes(location: StoreLocation): Wishes {
  let store: Database | undefined
  return {
    get: async () => {
      try {
        store ??= await openStore(location, nftRequestStore, nftRequestTables, 'read')
      } catch (error) {
        if (faultOf(error)?.code !== 'store-failed') throw error
      }
      return store
    },
    close: async () => store?.close(),
  }
}
