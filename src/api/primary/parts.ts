/** What the operations of the primary network are made of. */

import type { Network } from '../../core/network.ts'
import type { Clock } from '../../core/world.ts'
import type { PageTokens } from '../page-token.ts'
import type { NetworkDirectory } from './network-directory.ts'

/** Handed to every operation. */
export type PrimaryParts = {
  readonly networks: NetworkDirectory
  readonly tokens: PageTokens
  readonly clock: Clock
  /** Price of one AVAX on the day of `timestamp`, decimal; absent without a source of prices. */
  readonly avaxPrice?: (
    network: Network,
    currency: string,
    timestamp: number,
  ) => Promise<string | undefined>
  readonly limits: {
    /** Setting `api.maxAddresses`. */
    readonly maxAddresses: number
    /** Setting `api.maxBodyAddresses`. */
    readonly maxBodyAddresses: number
    /** Setting `api.transactionPageUtxos`. */
    readonly transactionPageUtxos: number
  }
}
