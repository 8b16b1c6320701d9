/** Sends events to a webhook again, and those that could not be sent. */

import { struct } from '../../codec/kit.ts'
import { f64 } from '../../codec/primitives.ts'
import { Fault } from '../../core/fault.ts'
import { Webhooks } from '../../shape/operations/webhooks.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import { heightOfPlace, placeOfHeight } from '../../store/query/events/ledger-places.ts'
import { deadLetters, webhookPlaceOf, writePlace } from '../../store/query/events/webhook-places.ts'
import type { Webhook as StoredWebhook } from '../../store/query/events/webhooks.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { cursorOf, nextToken, readPage } from '../operation/paging.ts'
import { changeOwn, ownWebhook, webhookWithPlace, type EventContext } from './own-webhook.ts'

/** Sets the webhook back. Events that the outbox no longer has are computed from history. */
export function replayWebhook(context: EventContext): Operation<'replayWebhook'> {
  return operation(Webhooks.replayWebhook, async ({ path, body, caller }) => {
    const database = await context.webhooks()
    const changed = await changeOwn(database, { id: path.id, caller }, async (webhook, writer) => {
      if (!webhook.active) throw new Fault('bad-parameter', 'the webhook is inactive')
      const place = await webhookPlaceOf(writer, webhook.number)
      const pos = placeOfHeight(webhook.ledger, body.fromHeight)
      if (place === undefined || (await newestHeight(context, webhook)) < body.fromHeight)
        throw new Fault('bad-parameter', `fromHeight is not indexed yet: ${body.fromHeight}`)
      const replayUntil = Math.max(place.replayUntil, place.pos + (place.index > 0 ? 1 : 0))
      await writePlace(writer, {
        ...place,
        pos,
        index: 0,
        attempts: 0,
        dueMs: 0,
        problem: undefined,
        replayUntil,
      })
      return webhook
    })
    context.outboxes.wake()
    return { body: await webhookWithPlace(database, changed) }
  })
}

async function newestHeight(context: EventContext, webhook: StoredWebhook): Promise<number> {
  const store = context.reader.storeOf(webhook.store)
  return store === undefined ? -1 : ((await checkpointHeights(store)).get(webhook.ledger) ?? -1)
}

const letterCursor = cursorOf(struct({ pos: f64, index: f64 }))

/** Messages of a webhook that failed for the last time; the newest thousand are kept. */
export function listDeadLetters(context: EventContext): Operation<'listDeadLetters'> {
  return operation(Webhooks.listDeadLetters, async ({ path, query, caller }) => {
    const database = await context.webhooks()
    const webhook = await ownWebhook(database, path.id, caller)
    const page = await readPage(context.evm.tokens, {
      route: Webhooks.listDeadLetters.id,
      subject: { id: webhook.id },
      query,
      ...letterCursor,
      rows: (before, limit) => deadLetters(database, { number: webhook.number, before, limit }),
      cursorOf: ({ pos, index }) => ({ pos, index }),
    })
    const letters = page.rows.map(({ messageId, pos, attempts, failedMs, problem }) => ({
      messageId,
      blockNumber: String(heightOfPlace(webhook.ledger, pos)),
      attempts,
      failedAt: failedMs,
      problem,
    }))
    return { body: { ...nextToken(page), deadLetters: letters } }
  })
}
