/** One webhook. */

import { Webhook, WebhookPath } from '../../shape/events/webhook.ts'
import { NoQuery } from '../../shape/evm/query.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { ownWebhook, webhookWithPlace } from './own-webhook.ts'
import type { EventParts } from './parts.ts'

const GetWebhook = {
  id: 'getWebhook',
  method: 'GET',
  path: '/v1/webhooks/{id}',
  summary: 'One webhook, and how far its messages were delivered',
  tag: 'Webhooks',
  weight: 10,
  parameters: { path: WebhookPath, query: NoQuery },
  response: Webhook,
} as const

/** A webhook of the caller's key. */
export function getWebhook(parts: EventParts): Operation {
  return operation(GetWebhook, async ({ path, caller }) => {
    const database = await parts.webhooks()
    const webhook = await ownWebhook(database, path.id, caller)
    return { body: await webhookWithPlace(database, webhook) }
  })
}
