/** Document B, endpoint 9, and its neighbours. */

import type { Operation } from '../operation.ts'
import { getIcmMessage } from './get-message.ts'
import { listIcmMessages, listIcmMessagesByAddress } from './list-messages.ts'
import type { IcmParts } from './parts.ts'

/** All of them. */
export function icmOperations(parts: IcmParts): Operation[] {
  return [listIcmMessagesByAddress(parts), listIcmMessages(parts), getIcmMessage(parts)]
}
