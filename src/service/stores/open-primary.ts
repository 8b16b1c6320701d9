import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { Fault } from '../../core/fault.ts'
import type { Database } from '../../store/engine/database.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { primaryStoreTables } from '../../store/schema/stores.ts'

/** Opens `key`, the store of a primary network, to read; `not-found` where none was made. */
export async function openPrimaryReader(location: StoreLocation, key: string): Promise<Database> {
  if (location.store === 'embedded' && !existsSync(join(location.dataDir, `${key}.sqlite`)))
    throw new Fault(
      'not-found',
      `no primary network is indexed here as ${key}: ${location.dataDir}`,
    )
  return openStore(location, key, primaryStoreTables, 'read')
}
