/** The webhooks of a caller. */

import { Webhook } from '../../shape/events/webhook.ts'
import { NoPath } from '../../shape/evm/path.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { PageToken, pageSize } from '../../shape/primary/parameters.ts'
import { Type } from '../../shape/type.ts'
import { webhooksOf } from '../../store/query/events/webhooks.ts'
import { ownerOf } from '../operation/caller.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { bindingOf, nextToken, numberCursor, readPage } from '../operation/paging.ts'
import { webhookView } from './own-webhook.ts'
import type { EventParts } from './parts.ts'

const ListWebhooks = {
  id: 'listWebhooks',
  method: 'GET',
  path: '/v1/webhooks',
  summary: 'Webhooks of the API key, newest first',
  tag: 'Webhooks',
  weight: 10,
  parameters: {
    path: NoPath,
    query: Type.Object({
      status: Type.Optional(Type.Enum(['active', 'inactive'], { description: 'Only these' })),
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
    }),
  },
  response: pageShape({ webhooks: Type.Array(Webhook) }),
} as const

const defaultPageSize = 10

/** Pages of the webhooks of the caller's key. */
export function listWebhooks(parts: EventParts): Operation {
  return operation(ListWebhooks, async ({ query, caller }) => {
    const owner = ownerOf(caller)
    const database = await parts.webhooks()
    const { status } = query
    const page = await readPage({
      tokens: parts.tokens,
      pageToken: query.pageToken,
      binding: bindingOf(ListWebhooks.id, { ...query, owner }),
      limit: query.pageSize ?? defaultPageSize,
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
