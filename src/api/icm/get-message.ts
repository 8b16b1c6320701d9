/** One interchain message. */

import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import type { IcmMessage } from '../../shape/icm/icm-message.ts'
import { GetIcmMessage } from '../../shape/icm/list-messages.ts'
import { getMessage } from '../../store/query/icm/messages.ts'
import { operation, type Operation } from '../operation.ts'
import { messageView } from './message-view.ts'
import type { IcmParts } from './parts.ts'

/** Neighbour of document B. */
export function getIcmMessage(parts: IcmParts): Operation {
  return operation(GetIcmMessage, async ({ path }) => ({
    body: await messageById(parts, path.messageId),
  }))
}

/** A message by its id in hex. Throws `not-found`. */
export async function messageById(parts: IcmParts, messageId: string): Promise<IcmMessage> {
  const store = parts.messages()
  const row = store === undefined ? undefined : await getMessage(store, fromHex(messageId))
  if (row === undefined) throw new Fault('not-found', `no such message: ${messageId}`)
  return messageView(parts, row)
}
