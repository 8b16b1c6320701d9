/** Lists of interchain messages, and one message. */

import { networkNames } from '../../core/network.ts'
import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { IcmMessage } from './icm-message.ts'

const pageQuery = {
  pageToken: Type.Optional(Type.String({ description: 'nextPageToken of the page before' })),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Messages a page' }),
  ),
  network: Type.Optional(Type.Enum([...networkNames], { description: 'Only of this network' })),
}
const evmAddress = {
  pattern: '^0x[0-9a-fA-F]{40}$',
  allowed: 'an EVM address, 0x and 40 hex digits',
}
const response = Type.Object({
  nextPageToken,
  messages: Type.Array(IcmMessage),
})
const idText = { description: 'Blockchain id, cb58 or hex' }

/** Document B, endpoint 9. */
export const ListIcmMessagesByAddress = {
  id: 'listIcmMessagesByAddress',
  method: 'GET',
  path: '/v1/icm/addresses/{address}/messages',
  summary: 'Interchain messages from or to an address, newest first',
  tag: 'Interchain messages',
  weight: 20,
  parameters: {
    path: Type.Object({ address: Type.String({ ...evmAddress, description: 'EVM address' }) }),
    query: Type.Object(pageQuery),
  },
  response,
} as const

/** Neighbour of document B: all messages. */
export const ListIcmMessages = {
  id: 'listIcmMessages',
  method: 'GET',
  path: '/v1/icm/messages',
  summary: 'Interchain messages, newest first',
  tag: 'Interchain messages',
  weight: 20,
  parameters: {
    path: Type.Object({}),
    query: Type.Object({
      ...pageQuery,
      sourceBlockchainId: Type.Optional(Type.String(idText)),
      destinationBlockchainId: Type.Optional(Type.String(idText)),
      blockchainId: Type.Optional(
        Type.String({ description: 'Source or destination, cb58 or hex' }),
      ),
      from: Type.Optional(Type.String({ ...evmAddress, description: 'Sender' })),
      to: Type.Optional(Type.String({ ...evmAddress, description: 'Recipient' })),
    }),
  },
  response,
} as const

/** Neighbour of document B: one message. */
export const GetIcmMessage = {
  id: 'getIcmMessage',
  method: 'GET',
  path: '/v1/icm/messages/{messageId}',
  summary: 'One interchain message',
  tag: 'Interchain messages',
  weight: 20,
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
