/** Parts that exports of transactions need. */

import type { Clock } from '../../core/world.ts'
import type { Database } from '../../store/engine/database.ts'
import type { EvmParts } from '../evm/parts.ts'
import type { PrimaryParts } from '../primary/network/networks.ts'

/** Everything that exports need: the lists they are made of, and where they are kept. */
export type ExportParts = {
  readonly evm: EvmParts
  readonly primary: PrimaryParts
  readonly clock: Clock
  /** The store of what callers keep here, open for writing. */
  readonly store: () => Promise<Database>
}
