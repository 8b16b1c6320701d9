/** All that the EVM operations answer from. */

import type { Clock } from '../../core/world.ts'
import type { Reader } from '../../store/engine/database.ts'
import type { ChainDirectory, ServedChain } from '../operation/chain-directory.ts'
import type { PageTokens } from '../operation/page-token.ts'
import type { PriceSource, TokenNotes } from '../prices/token-lists.ts'
import type { MethodNames } from './abi/known-methods.ts'
import type { ComparedBalances } from './balances/compared-balances.ts'
import type { ContractBook } from './contracts/contract-book.ts'
import type { RegistryNames } from './registry-names.ts'
import type { RichAddressBooks } from './rich-addresses.ts'
import type { NftSource } from './tokens/token-views.ts'
import type { RevertReasons } from './transactions/revert-reason.ts'

/** Everything the EVM operations need. */
export type EvmContext = {
  readonly chains: ChainDirectory
  readonly tokens: PageTokens
  readonly clock: Clock
  readonly methodNames: MethodNames
  readonly contracts: ContractBook
  readonly reverts: RevertReasons
  readonly prices: PriceSource
  readonly notes: TokenNotes
  readonly nfts: NftSource
  readonly addressBooks: RichAddressBooks
  readonly registryNames: RegistryNames
  /** Balances of a chain, compared with its node. */
  readonly balances: (chain: ServedChain) => ComparedBalances
  /** Interchain messengers, 20 bytes each; logs of other contracts are not believed. */
  readonly icmContracts: readonly Uint8Array[]
  /** The store of interchain messages; `undefined` until a writer has made it. */
  readonly messages: () => Reader | undefined
}
