/** All that exports of transactions read. */

import type { Clock } from '../../core/world.ts'
import type { Database } from '../../store/engine/database.ts'
import type { EvmContext } from '../evm/evm-context.ts'
import type { PrimaryContext } from '../primary/network/networks.ts'

/** Everything that exports need: the lists they are made of, and where they are kept. */
export type ExportContext = {
  readonly evm: EvmContext
  readonly primary: PrimaryContext
  readonly clock: Clock
  /** The store of what callers keep here, open for writing. */
  readonly store: () => Promise<Database>
}
