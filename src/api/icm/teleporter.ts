/**
 * Older names of the operations on interchain messages. Messages carry both names of their
 * contract: clients of a list read the one or the other, by the state of the message.
 */

import type { IcmMessage, TeleporterMessage } from '../../shape/icm/icm-message.ts'
import { Teleporter } from '../../shape/operations/icm.ts'
import { type AllOf, operation } from '../operation/operation.ts'
import { messageById } from './get-message.ts'
import type { IcmContext } from './icm-context.ts'
import { messagesOf, messagesOfAddress } from './list-messages.ts'

/** All three. */
export function teleporterOperations(context: IcmContext): AllOf<typeof Teleporter> {
  return {
    listTeleporterMessagesByAddress: operation(
      Teleporter.listTeleporterMessagesByAddress,
      async (input) => {
        const page = await messagesOfAddress(
          context,
          Teleporter.listTeleporterMessagesByAddress.id,
          input,
        )
        return { body: { ...page, messages: page.messages.map(olderView) } }
      },
    ),
    listTeleporterMessages: operation(
      Teleporter.listTeleporterMessages,
      async ({ query, signal }) => {
        const page = await messagesOf(context, Teleporter.listTeleporterMessages.id, query, signal)
        return { body: { ...page, messages: page.messages.map(olderView) } }
      },
    ),
    getTeleporterMessage: operation(Teleporter.getTeleporterMessage, async ({ path }) => ({
      body: olderView(await messageById(context, path.messageId)),
    })),
  }
}

function olderView(message: IcmMessage): TeleporterMessage {
  return { ...message, teleporterContractAddress: message.icmContractAddress }
}
