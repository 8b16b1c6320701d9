/** The webhooks of a caller. */

import { Webhooks } from '../../shape/operations/webhooks.ts'
import { webhooksOf } from '../../store/query/events/webhooks.ts'
import { ownerOf, operation, type Operation } from '../operation/operation.ts'
import { nextToken, numberCursor, readPage } from '../operation/paging.ts'
import { webhookView, type EventContext, ownWebhook, webhookWithPlace } from './own-webhook.ts'

/** Pages of the webhooks of the caller's key. */
export function listWebhooks(context: EventContext): Operation<'listWebhooks'> {
  return operation(Webhooks.listWebhooks, async ({ query, caller }) => {
    const owner = ownerOf(caller)
    const database = await context.webhooks()
    const { status } = query
    const page = await readPage(context.evm.tokens, {
      route: Webhooks.listWebhooks.id,
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

/** A webhook of the caller's key. */
export function getWebhook(context: EventContext): Operation<'getWebhook'> {
  return operation(Webhooks.getWebhook, async ({ path, caller }) => {
    const database = await context.webhooks()
    const webhook = await ownWebhook(database, path.id, caller)
    return { body: await webhookWithPlace(database, webhook) }
  })
}
