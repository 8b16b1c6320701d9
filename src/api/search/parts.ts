/** Parts of the search operation. */

import type { Clock } from '../../core/world.ts'
import type { PartyBooks } from '../evm/party-book.ts'
import type { ChainDirectory } from '../operation/chain-directory.ts'
import type { NetworkDirectory } from '../primary/network/networks.ts'

/** Parts that the operation uses. */
export type SearchParts = {
  readonly chains: ChainDirectory
  readonly networks: NetworkDirectory
  readonly parties: PartyBooks
  readonly clock: Clock
}
