/** All that the operations on interchain messages answer from. */

import type { TransactionSummary } from '../../shape/evm/transaction.ts'
import type { Reader } from '../../store/engine/database.ts'
import type { RichAddressBooks } from '../evm/rich-addresses.ts'
import type { ChainDirectory, ServedChain } from '../operation/chain-directory.ts'
import type { PageTokens } from '../operation/page-token.ts'

/** Interchain messages, and the chains at their ends. */
export type IcmContext = {
  readonly chains: ChainDirectory
  readonly tokens: PageTokens
  readonly addressBooks: RichAddressBooks
  /** The store of messages; `undefined` until a writer has made it. */
  readonly messages: () => Reader | undefined
  /** Tells a transaction in a sentence; absent where nobody is told. */
  readonly told?: (
    chain: ServedChain,
    txHash: Uint8Array,
    signal: AbortSignal,
  ) => Promise<TransactionSummary | undefined>
  /** EVM chain id of a chain that is not served here, as the P-Chain knows it. */
  readonly evmChainIdOf?: (blockchainId: Uint8Array) => Promise<number | undefined>
}
