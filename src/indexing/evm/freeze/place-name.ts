/** The name of the place of segments of a store, where the files of other deployments may come to lie, too. */

import type { Clock } from '../../../core/world.ts'
import type { Database } from '../../../store/engine/database.ts'
import { manifestText, namePlace } from '../../../store/history/manifest.ts'
import { type Lease, underLease } from '../../../store/lease.ts'
import type { StoreLocation } from '../../../store/open.ts'

/**
 * Keeps a name of the place in a store that has none. Comes before the first segment. Nobody else writes the folder of
 * segments in the data folder: a store that is indexed anew takes it over.
 */
export async function keepPlaceName(
  database: Database,
  lease: Lease,
  { store, clock }: { readonly store: StoreLocation; readonly clock: Clock },
): Promise<void> {
  if (store.freeze === undefined || store.segments === undefined) return
  if ((await manifestText(database)) !== '') return
  await underLease(database, { lease, clock }, namePlace)
}
