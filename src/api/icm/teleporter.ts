/**
 * Older names of the operations on interchain messages. Messages carry both names of their
 * contract: clients of a list read the one or the other, by the state of the message.
 */

import { type IcmMessage, TeleporterMessage } from '../../shape/icm/icm-message.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { messageById, GetIcmMessage } from './get-message.ts'
import type { IcmContext } from './icm-context.ts'
import {
  messagesOf,
  messagesOfAddress,
  ListIcmMessages,
  ListIcmMessagesByAddress,
} from './list-messages.ts'

const response = pageShape({ messages: Type.Array(TeleporterMessage) })

const ListTeleporterMessages = {
  ...ListIcmMessages,
  id: 'listTeleporterMessages',
  path: '/v1/teleporter/messages',
  summary: 'Older name of /v1/icm/messages',
  response,
} as const

const ListTeleporterMessagesByAddress = {
  ...ListIcmMessagesByAddress,
  id: 'listTeleporterMessagesByAddress',
  path: '/v1/teleporter/addresses/{address}/messages',
  summary: 'Older name of /v1/icm/addresses/{address}/messages',
  response,
} as const

const GetTeleporterMessage = {
  ...GetIcmMessage,
  id: 'getTeleporterMessage',
  path: '/v1/teleporter/messages/{messageId}',
  summary: 'Older name of /v1/icm/messages/{messageId}',
  response: TeleporterMessage,
} as const

/** All three. */
export function teleporterOperations(context: IcmContext): Operation[] {
  return [
    operation(ListTeleporterMessagesByAddress, async (input) => {
      const page = await messagesOfAddress(context, ListTeleporterMessagesByAddress.id, input)
      return { body: { ...page, messages: page.messages.map(olderView) } }
    }),
    operation(ListTeleporterMessages, async ({ query }) => {
      const page = await messagesOf(context, ListTeleporterMessages.id, query)
      return { body: { ...page, messages: page.messages.map(olderView) } }
    }),
    operation(GetTeleporterMessage, async ({ path }) => ({
      body: olderView(await messageById(context, path.messageId)),
    })),
  ]
}

function olderView(message: IcmMessage): TeleporterMessage {
  return { ...message, teleporterContractAddress: message.icmContractAddress }
}
