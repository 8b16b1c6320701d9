/**
 * Older names of the operations on interchain messages. Messages carry both names of their contract:
 * clients of a list read the one or the other, by the state of the message.
 */

import type { IcmMessage, TeleporterMessage } from '../../shape/icm/icm-message.ts'
import {
  GetTeleporterMessage,
  ListTeleporterMessages,
  ListTeleporterMessagesByAddress,
} from '../../shape/icm/teleporter.ts'
import { operation, type Operation } from '../operation.ts'
import { messageById } from './get-message.ts'
import { messagesOf, messagesOfAddress } from './list-messages.ts'
import type { IcmParts } from './parts.ts'

/** All three. */
export function teleporterOperations(parts: IcmParts): Operation[] {
  return [
    operation(ListTeleporterMessagesByAddress, async (input) => {
      const page = await messagesOfAddress(parts, ListTeleporterMessagesByAddress.id, input)
      return { body: { ...page, messages: page.messages.map(olderView) } }
    }),
    operation(ListTeleporterMessages, async ({ query }) => {
      const page = await messagesOf(parts, ListTeleporterMessages.id, query)
      return { body: { ...page, messages: page.messages.map(olderView) } }
    }),
    operation(GetTeleporterMessage, async ({ path }) => ({
      body: olderView(await messageById(parts, path.messageId)),
    })),
  ]
}

function olderView(message: IcmMessage): TeleporterMessage {
  return { ...message, teleporterContractAddress: message.icmContractAddress }
}
