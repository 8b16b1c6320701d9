/** Webhooks: what happens to addresses, validators and L1s is reported. */

import {
  CreateWebhookBody,
  UpdateWebhookBody,
  Webhook,
  WebhookAddressesBody,
  WebhookPath,
} from '../events/webhook.ts'
import {} from '../evm/parameters.ts'
import { pageShape } from '../page-shape.ts'
import { pageQuery } from '../primary/parameters.ts'
import { Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

const Secret = Type.Object({
  secret: Type.String('64 hex digits, 32 bytes', {
    examples: ['c0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffee'],
  }),
})

const path = '/v1/webhooks/{id}/addresses'

/** Webhooks: what happens to addresses, validators and L1s is reported. */
export const Webhooks = contracts('Webhooks', {
  listWebhooks: {
    path: '/v1/webhooks',
    summary: 'Webhooks of the API key, newest first',
    weight: 10,
    query: {
      status: Optional.Enum(['active', 'inactive'], 'Only these'),
      ...pageQuery,
    },
    response: pageShape({ webhooks: Type.Array(Webhook) }),
  },
  createWebhook: {
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Register a webhook; it begins with the next block',
    status: 201,
    body: CreateWebhookBody,
    response: Webhook,
  },
  getWebhook: {
    path: '/v1/webhooks/{id}',
    summary: 'One webhook, and how far its messages were delivered',
    weight: 10,
    pathParameters: WebhookPath,
    response: Webhook,
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    summary: 'Change a webhook; one that is made active again goes on with the next block',
    pathParameters: WebhookPath,
    body: UpdateWebhookBody,
    response: Webhook,
  },
  deactivateWebhook: {
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    summary: 'Deactivate a webhook: nothing is collected for it any more',
    pathParameters: WebhookPath,
    response: Webhook,
  },
  getAddressesFromWebhook: {
    path,
    summary: 'Addresses of a webhook, in the order in which they were added',
    pathParameters: WebhookPath,
    query: pageQuery,
    response: pageShape({
      addresses: Type.Array(Type.String('EVM address'), 'Addresses'),
      totalAddresses: Type.Integer('How many the webhook has'),
    }),
  },
  addAddressesToWebhook: {
    method: 'PATCH',
    path,
    summary: 'Add addresses to a webhook; their events are sent from the next block on',
    pathParameters: WebhookPath,
    body: WebhookAddressesBody,
    response: Webhook,
  },
  removeAddressesFromWebhook: {
    method: 'DELETE',
    path,
    summary: 'Remove addresses from a webhook',
    pathParameters: WebhookPath,
    body: WebhookAddressesBody,
    response: Webhook,
  },
  generateOrRotateSharedSecret: {
    method: 'POST',
    path: '/v1/webhooks:generateOrRotateSharedSecret',
    summary: 'A new secret for the webhooks of the API key; the one before ends at once',
    status: 201,

    response: Secret,
  },
  getSharedSecret: {
    path: '/v1/webhooks:getSharedSecret',
    summary: 'The secret that signs messages of the webhooks of the API key',
    weight: 10,

    response: Secret,
  },
  replayWebhook: {
    method: 'POST',
    path: '/v1/webhooks/{id}:replay',
    summary: 'Deliver all messages again from a height on, with the ids they had',
    weight: 100,
    pathParameters: WebhookPath,
    body: Type.Object({
      fromHeight: Type.Integer({
        minimum: 0,
        maximum: 2 ** 31 - 1,
        description: 'First block, also from before the webhook was registered',
      }),
    }),
    response: Webhook,
  },
  listDeadLetters: {
    path: '/v1/webhooks/{id}/deadLetters',
    summary: 'Messages that were given up, newest first',
    weight: 10,
    pathParameters: WebhookPath,
    query: pageQuery,
    response: pageShape({
      deadLetters: Type.Array(
        Type.Object({
          messageId: Type.String('Id of the message'),
          blockNumber: Type.String('Block it is of: replay from there'),
          attempts: Type.Integer('How often it was tried', { examples: [12] }),
          failedAt: Type.Integer('Milliseconds since 1970', { examples: [1795372747000] }),
          problem: Type.String('Why the last attempt failed', { examples: ['answered 500'] }),
        }),
        'Messages that were given up',
      ),
    }),
  },
} as const satisfies Declarations)
