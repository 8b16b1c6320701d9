/** One interchain message. */

import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { IcmMessage } from '../../shape/icm/icm-message.ts'
import { Type } from '../../shape/type.ts'
import { getMessage } from '../../store/query/icm/messages.ts'
import { operation, type Operation } from '../operation/operation.ts'
import type { IcmContext } from './icm-context.ts'
import { messageView } from './message-view.ts'

/** Neighbour of document B: one message. */
export const GetIcmMessage = {
  id: 'getIcmMessage',
  path: '/v1/icm/messages/{messageId}',
  summary: 'One interchain message',
  tag: 'Interchain messages',
  parameters: {
    path: Type.Object({
      messageId: Type.String({
        description: 'Message id, hex',
        pattern: '^(0x)?[0-9a-fA-F]{64}$',
        allowed: 'a message id, 64 hex digits',
      }),
    }),
    query: Type.Object({}),
  },
  response: IcmMessage,
} as const

/** Neighbour of document B. */
export function getIcmMessage(context: IcmContext): Operation {
  return operation(GetIcmMessage, async ({ path }) => ({
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
