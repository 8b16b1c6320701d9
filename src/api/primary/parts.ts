/** Parts of the operations of the primary network. */

import type { Clock } from '../../core/world.ts'
import type { PageTokens } from '../operation/page-token.ts'
import type { PriceSource } from '../operation/price.ts'
import type { NetworkDirectory } from './network-directory.ts'

/** Handed to every operation. */
export type PrimaryParts = {
  readonly networks: NetworkDirectory
  readonly tokens: PageTokens
  readonly clock: Clock
  /** AVAX is asked for as the native coin of the network's C-Chain. */
  readonly prices: PriceSource
  readonly limits: {
    /** Setting `api.maxAddresses`. */
    readonly maxAddresses: number
    /** Setting `api.maxBodyAddresses`. */
    readonly maxBodyAddresses: number
    /** Setting `api.transactionPageUtxos`. */
    readonly transactionPageUtxos: number
  }
}
