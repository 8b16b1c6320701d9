/** Document B, endpoint 9, and its neighbours. */

import type { Reader } from '../../store/engine/database.ts'
import type { ChainDirectory } from '../chain-directory.ts'
import type { PartyBooks } from '../evm/party-book.ts'
import type { Operation } from '../operation.ts'
import type { PageTokens } from '../page-token.ts'
import { getIcmMessage } from './get-message.ts'
import { listIcmMessages, listIcmMessagesByAddress } from './list-messages.ts'

/** What these operations need. */
export type IcmParts = {
  readonly chains: ChainDirectory
  readonly tokens: PageTokens
  readonly parties: PartyBooks
  /** The store of messages; `undefined` until a writer has made it. */
  readonly messages: () => Reader | undefined
}

/** All of them. */
export function icmOperations(parts: IcmParts): Operation[] {
  return [listIcmMessagesByAddress(parts), listIcmMessages(parts), getIcmMessage(parts)]
}
