/** Parts of the operations on interchain messages. */

import type { Reader } from '../../store/engine/database.ts'
import type { PartyBooks } from '../evm/party-book.ts'
import type { ChainDirectory } from '../operation/chain-directory.ts'
import type { PageTokens } from '../operation/page-token.ts'

/** Parts that these operations use. */
export type IcmParts = {
  readonly chains: ChainDirectory
  readonly tokens: PageTokens
  readonly parties: PartyBooks
  /** The store of messages; `undefined` until a writer has made it. */
  readonly messages: () => Reader | undefined
  /** EVM chain id of a chain that is not served here, as the P-Chain knows it. */
  readonly evmChainIdOf?: (blockchainId: Uint8Array) => Promise<number | undefined>
}
