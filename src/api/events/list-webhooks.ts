/** The webhooks of a caller. */

import { Webhook, WebhookPath } from '../../shape/events/webhook.ts'
import { NoPath, NoQuery } from '../../shape/evm/parameters.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { pageQuery } from '../../shape/primary/parameters.ts'
import { Type } from '../../shape/type.ts'
import { webhooksOf } from '../../store/query/events/webhooks.ts'
import { ownerOf, operation, type Operation } from '../operation/operation.ts'
import { nextToken, numberCursor, readPage } from '../operation/paging.ts'
import { webhookView, type EventContext, ownWebhook, webhookWithPlace } from './own-webhook.ts'

const ListWebhooks = {
  id: 'listWebhooks',
  path: '/v1/webhooks',
  summary: 'Webhooks of the API key, newest first',
  tag: 'Webhooks',
  weight: 10,
  parameters: {
    path: NoPath,
    query: Type.Object({
      status: Type.Optional(Type.Enum(['active', 'inactive'], { description: 'Only these' })),
      ...pageQuery,
    }),
  },
  response: pageShape({ webhooks: Type.Array(Webhook) }),
} as const

/** Pages of the webhooks of the caller's key. */
export function listWebhooks(context: EventContext): Operation {
  return operation(ListWebhooks, async ({ query, caller }) => {
    const owner = ownerOf(caller)
    const database = await context.webhooks()
    const { status } = query
    const page = await readPage(context.tokens, {
      route: ListWebhooks.id,
      subject: { owner },
      query,
      ...numberCursor,
      rows: (after, limit) =>
        webhooksOf(database, {
          owner,
          after,
          limit,
          active: status === undefined ? undefined : status === 'active',
        }),
      cursorOf: ({ number }) => number,
    })
    return { body: { ...nextToken(page), webhooks: page.rows.map((row) => webhookView(row)) } }
  })
}

const GetWebhook = {
  id: 'getWebhook',
  path: '/v1/webhooks/{id}',
  summary: 'One webhook, and how far its messages were delivered',
  tag: 'Webhooks',
  weight: 10,
  parameters: { path: WebhookPath, query: NoQuery },
  response: Webhook,
} as const

/** A webhook of the caller's key. */
export function getWebhook(context: EventContext): Operation {
  return operation(GetWebhook, async ({ path, caller }) => {
    const database = await context.webhooks()
    const webhook = await ownWebhook(database, path.id, caller)
    return { body: await webhookWithPlace(database, webhook) }
  })
}
