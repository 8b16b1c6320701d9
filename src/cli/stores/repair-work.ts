/** Parts of repairing a store. */

import type { Config } from '../../config/settings.ts'
import type { World } from '../../core/world.ts'
import type { ConfiguredStore } from './configured-stores.ts'
import type { StoreVerdict } from './store-verdict.ts'

/** Parts of repairing one store. */
export type RepairWork = {
  readonly config: Config
  readonly store: ConfiguredStore
  readonly verdict: StoreVerdict
  readonly world: World & Required<Pick<World, 'download'>>
  /** Names this process in leases. */
  readonly owner: string
  /** Folder with copies of segments, or the address of a Firn that offers its own. */
  readonly copies?: string
}
