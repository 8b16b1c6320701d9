/** Changes a webhook, or ends it. */

import type { Static } from 'typebox'

import { Fault } from '../../core/fault.ts'
import { firstWebhookPlace } from '../../events/deliverer.ts'
import { UpdateWebhookBody, Webhook, WebhookPath } from '../../shape/events/webhook.ts'
import { NoQuery } from '../../shape/evm/query.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import type { Writer } from '../../store/engine/database.ts'
import { writePlace } from '../../store/query/events/webhook-places.ts'
import {
  renumberWebhook,
  type Webhook as StoredWebhook,
} from '../../store/query/events/webhooks.ts'
import { blockIdOf, chainNumbers, firstPosOf } from '../../store/schema/primary/position.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { changeOwn, webhookWithPlace } from './own-webhook.ts'
import type { EventParts } from './parts.ts'
import { evmLedger, evmStart, urlIn } from './read-webhook.ts'

const UpdateWebhook = {
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/v1/webhooks/{id}',
  summary: 'Change a webhook; one that is made active again goes on with the next block',
  tag: 'Webhooks',
  weight: 20,
  parameters: { path: WebhookPath, query: NoQuery, body: UpdateWebhookBody },
  response: Webhook,
} as const

const DeactivateWebhook = {
  id: 'deactivateWebhook',
  method: 'DELETE',
  path: '/v1/webhooks/{id}',
  summary: 'Deactivate a webhook: nothing is collected for it any more',
  tag: 'Webhooks',
  weight: 20,
  parameters: { path: WebhookPath, query: NoQuery },
  response: Webhook,
} as const

type Change = Static<typeof UpdateWebhookBody>

/** Changes what the caller names; all else stays. */
export function updateWebhook(parts: EventParts): Operation {
  return operation(UpdateWebhook, async ({ path, body, caller }) => {
    const database = await parts.webhooks()
    const own = { id: path.id, caller }
    const changed = await changeOwn(database, own, (webhook, writer) =>
      changedBy(parts, body, { webhook, writer }),
    )
    parts.news.wake()
    return { body: await webhookWithPlace(database, changed) }
  })
}

/** Sets a webhook inactive; it can still be read, and made active again. */
export function deactivateWebhook(parts: EventParts): Operation {
  return operation(DeactivateWebhook, async ({ path, caller }) => {
    const database = await parts.webhooks()
    const own = { id: path.id, caller }
    const changed = await changeOwn(database, own, async (webhook) => ({
      ...webhook,
      active: false,
    }))
    parts.news.wake()
    return { body: await webhookWithPlace(database, changed) }
  })
}

async function changedBy(
  parts: EventParts,
  change: Change,
  { webhook, writer }: { readonly webhook: StoredWebhook; readonly writer: Writer },
): Promise<StoredWebhook> {
  const { body } = webhook
  const isEvm = body.eventType === 'address_activity'
  if (!isEvm && (change.includeInternalTxs !== undefined || change.includeLogs !== undefined))
    throw new Fault('bad-parameter', 'includeInternalTxs and includeLogs are for EVM chains only')
  const includeInternalTxs = change.includeInternalTxs ?? body.includeInternalTxs
  const active = change.status === undefined ? webhook.active : change.status === 'active'
  const next = {
    ...webhook,
    active,
    ledger: isEvm ? evmLedger(evmChain(parts, webhook), includeInternalTxs) : webhook.ledger,
    body: {
      ...body,
      name: change.name ?? body.name,
      description: change.description ?? body.description,
      url: change.url === undefined ? body.url : urlOrNone(parts, change.url),
      includeInternalTxs,
      includeLogs: change.includeLogs ?? body.includeLogs,
    },
  }
  const isRevived = active && !webhook.active
  // Another stage has collected up to another place, so its events are collected anew, without a
  // gap.
  const isNew = isRevived || next.ledger !== webhook.ledger
  const number = isNew ? await renumberWebhook(writer, webhook.number) : webhook.number
  if (isRevived) await writePlace(writer, firstWebhookPlace(number, await startOf(parts, next)))
  return { ...next, number }
}

function urlOrNone(parts: EventParts, text: string): string {
  return text === '' ? '' : urlIn(parts, text)
}

function evmChain(
  parts: EventParts,
  { store, body }: StoredWebhook,
): ReturnType<EventParts['chains']['find']> {
  const chain = parts.chains.all().find(({ facts }) => facts.key === store)
  return chain ?? parts.chains.find(body.chainId)
}

/** First place after the newest block of the webhook's chain. */
async function startOf(parts: EventParts, webhook: StoredWebhook): Promise<number> {
  if (webhook.body.eventType === 'address_activity')
    return evmStart(parts, evmChain(parts, webhook))
  const chain = webhook.ledger === 'X' ? 'X' : 'P'
  const served = parts.networks.find(webhook.body.network ?? 'fuji')
  const stored = (await checkpointHeights(served.store)).get(chain) ?? -1
  const head = parts.headOf(webhook.store, chain) ?? -1
  return firstPosOf(blockIdOf(chainNumbers[chain], Math.max(stored, head) + 1))
}
