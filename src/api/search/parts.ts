/** What searching is handed. */

import type { Clock } from '../../core/world.ts'
import type { ChainDirectory } from '../chain-directory.ts'
import type { PartyBooks } from '../evm/party-book.ts'
import type { NetworkDirectory } from '../primary/network-directory.ts'

/** What the operation needs. */
export type SearchParts = {
  readonly chains: ChainDirectory
  readonly networks: NetworkDirectory
  readonly parties: PartyBooks
  readonly clock: Clock
}
