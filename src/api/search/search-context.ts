/** All that the search answers from. */

import type { Clock } from '../../core/world.ts'
import type { ContractBook } from '../evm/contracts/contract-book.ts'
import type { RegistryNames } from '../evm/registry-names.ts'
import type { RichAddressBooks } from '../evm/rich-addresses.ts'
import type { ChainDirectory } from '../operation/chain-directory.ts'
import type { LabelledAddress } from '../prices/token-lists.ts'
import type { NetworkDirectory } from '../primary/network/networks.ts'

/** Everything that is searched. */
export type SearchContext = {
  readonly chains: ChainDirectory
  readonly networks: NetworkDirectory
  readonly addressBooks: RichAddressBooks
  readonly contracts: Pick<ContractBook, 'named'>
  readonly registryNames: Pick<RegistryNames, 'addressOf'>
  /** Names that the operator gives. */
  readonly labels: readonly LabelledAddress[]
  readonly clock: Clock
}
