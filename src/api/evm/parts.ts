/** Parts of the EVM operations. */

import type { Clock } from '../../core/world.ts'
import type { ChainDirectory } from '../operation/chain-directory.ts'
import type { PageTokens } from '../operation/page-token.ts'
import type { PriceSource } from '../operation/price.ts'
import type { TokenNotes } from '../operation/token-notes.ts'
import type { AbiBook } from './abi-book.ts'
import type { MethodNames } from './method-names.ts'
import type { NftSource } from './nft-source.ts'
import type { PartyBooks } from './party-book.ts'

/** Everything the EVM operations need. */
export type EvmParts = {
  readonly chains: ChainDirectory
  readonly tokens: PageTokens
  readonly clock: Clock
  readonly methodNames: MethodNames
  /** ABIs of the operator. */
  readonly abis: AbiBook
  readonly prices: PriceSource
  readonly notes: TokenNotes
  readonly nfts: NftSource
  readonly parties: PartyBooks
  /** Interchain messengers, 20 bytes each; logs of other contracts are not believed. */
  readonly icmContracts: readonly Uint8Array[]
}
