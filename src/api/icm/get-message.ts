/** One interchain message. */

import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import type { IcmMessage } from '../../shape/icm/icm-message.ts'
import { Icm } from '../../shape/operations/icm.ts'
import { getMessage } from '../../store/query/icm/messages.ts'
import { operation, type Operation } from '../operation/operation.ts'
import type { IcmContext } from './icm-context.ts'
import { messageView } from './message-view.ts'

/** Neighbour of document B. */
export function getIcmMessage(context: IcmContext): Operation<'getIcmMessage'> {
  return operation(Icm.getIcmMessage, async ({ path }) => ({
    body: await messageById(context, path.messageId),
  }))
}

/** A message by its id in hex. Throws `not-found`. */
export async function messageById(context: IcmContext, messageId: string): Promise<IcmMessage> {
  const store = context.messages()
  const row = store === undefined ? undefined : await getMessage(store, fromHex(messageId))
  if (row === undefined) throw new Fault('not-found', `no such message: ${messageId}`)
  return messageView(context, row)
}
