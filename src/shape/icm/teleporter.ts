/** Older names of the operations on interchain messages. Source: official clients, Teleporter. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { TeleporterMessage } from './icm-message.ts'
import { GetIcmMessage, ListIcmMessages, ListIcmMessagesByAddress } from './list-messages.ts'

const response = Type.Object({ nextPageToken, messages: Type.Array(TeleporterMessage) })

/** Older name of {@link ListIcmMessages}. */
export const ListTeleporterMessages = {
  ...ListIcmMessages,
  id: 'listTeleporterMessages',
  path: '/v1/teleporter/messages',
  summary: 'Older name of /v1/icm/messages',
  response,
} as const

/** Older name of {@link ListIcmMessagesByAddress}. */
export const ListTeleporterMessagesByAddress = {
  ...ListIcmMessagesByAddress,
  id: 'listTeleporterMessagesByAddress',
  path: '/v1/teleporter/addresses/{address}/messages',
  summary: 'Older name of /v1/icm/addresses/{address}/messages',
  response,
} as const

/** Older name of {@link GetIcmMessage}. */
export const GetTeleporterMessage = {
  ...GetIcmMessage,
  id: 'getTeleporterMessage',
  path: '/v1/teleporter/messages/{messageId}',
  summary: 'Older name of /v1/icm/messages/{messageId}',
  response: TeleporterMessage,
} as const
