/** All that the search answers from. */

import type { Clock } from '../../core/world.ts'
import type { PartyBooks } from '../evm/party-book.ts'
import type { ChainDirectory } from '../operation/chain-directory.ts'
import type { NetworkDirectory } from '../primary/network/networks.ts'

/** Everything that is searched. */
export type SearchContext = {
  readonly chains: ChainDirectory
  readonly networks: NetworkDirectory
  readonly parties: PartyBooks
  readonly clock: Clock
}
