/** Registers what a caller subscribes to. */

import { randomUUID } from 'node:crypto'

import { toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { firstWebhookPlace } from '../../events/deliverer.ts'
import type { UpdateWebhookBody } from '../../shape/events/webhook.ts'
import { Webhooks } from '../../shape/operations/webhooks.ts'
import type { Static } from '../../shape/type.ts'
import type { Writer } from '../../store/engine/database.ts'
import { writePlace } from '../../store/query/events/webhook-places.ts'
import {
  addWebhook,
  countWebhooks,
  removeOldestInactive,
  secretOfOwner,
  setSecret,
  renumberWebhook,
  type Webhook as StoredWebhook,
} from '../../store/query/events/webhooks.ts'
import { ownerOf, operation, type Operation } from '../operation/operation.ts'
import { webhookView, type EventContext, changeOwn, webhookWithPlace } from './own-webhook.ts'
import { readWebhook, evmLedger, evmStart, networkStart, urlIn } from './read-webhook.ts'

/** A new secret. Source: guide of the hosted service, 32 bytes. */
const secretBytes = 32

/** Adds the webhook to those of the caller's key, and makes a secret with the first. */
export function createWebhook(context: EventContext): Operation<'createWebhook'> {
  return operation(Webhooks.createWebhook, async ({ body, caller, signal }) => {
    const owner = ownerOf(caller)
    const read = await readWebhook(context, body, signal)
    const database = await context.webhooks()
    const added = {
      id: randomUUID(),
      owner,
      store: read.store,
      ledger: read.ledger,
      active: true,
      createdMs: context.clock.now(),
      body: read.body,
    }
    const number = await database.transaction(async (writer) => {
      const isFull = (await countWebhooks(writer, owner)) >= context.limits.webhooks
      // What was deleted is kept to be looked at, until its place is needed.
      if (isFull && !(await removeOldestInactive(writer, owner)))
        throw new Fault(
          'forbidden',
          `a key may have at most this many webhooks: ${context.limits.webhooks}`,
        )
      if ((await secretOfOwner(writer, owner)) === undefined)
        await setSecret(writer, owner, toHex(context.random.bytes(secretBytes)))
      const given = await addWebhook(writer, added)
      await writePlace(writer, firstWebhookPlace(given, read.from))
      return given
    })
    context.outboxes.wake()
    return { body: webhookView({ ...added, number, changed: 1 }) }
  })
}

/** Changes what the caller names; all else stays. */
export function updateWebhook(context: EventContext): Operation<'updateWebhook'> {
  return operation(Webhooks.updateWebhook, async ({ path, body, caller }) => {
    const database = await context.webhooks()
    const own = { id: path.id, caller }
    const changed = await changeOwn(database, own, (webhook, writer) =>
      changedBy(context, body, { webhook, writer }),
    )
    context.outboxes.wake()
    return { body: await webhookWithPlace(database, changed) }
  })
}

/** Sets a webhook inactive; it can still be read, and made active again. */
export function deactivateWebhook(context: EventContext): Operation<'deactivateWebhook'> {
  return operation(Webhooks.deactivateWebhook, async ({ path, caller }) => {
    const database = await context.webhooks()
    const own = { id: path.id, caller }
    const changed = await changeOwn(database, own, async (webhook) => ({
      ...webhook,
      active: false,
    }))
    context.outboxes.wake()
    return { body: await webhookWithPlace(database, changed) }
  })
}

async function changedBy(
  context: EventContext,
  change: Static<typeof UpdateWebhookBody>,
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
    ledger: isEvm ? evmLedger(evmChain(context, webhook), includeInternalTxs) : webhook.ledger,
    body: {
      ...body,
      name: change.name ?? body.name,
      description: change.description ?? body.description,
      url: change.url === undefined ? body.url : urlOrNone(context, change.url),
      includeInternalTxs,
      includeLogs: change.includeLogs ?? body.includeLogs,
    },
  }
  const isRevived = active && !webhook.active
  // Another stage has collected up to another place, so its events are collected anew, without a
  // gap.
  const isNew = isRevived || next.ledger !== webhook.ledger
  const number = isNew ? await renumberWebhook(writer, webhook.number) : webhook.number
  if (isRevived) await writePlace(writer, firstWebhookPlace(number, await startOf(context, next)))
  return { ...next, number }
}

function urlOrNone(context: EventContext, text: string): string {
  return text === '' ? '' : urlIn(context, text)
}

function evmChain(
  context: EventContext,
  { store, body }: StoredWebhook,
): ReturnType<EventContext['chains']['find']> {
  const chain = context.chains.all().find(({ facts }) => facts.key === store)
  return chain ?? context.chains.find(body.chainId)
}

/** First place after the newest block of the webhook's chain. */
async function startOf(context: EventContext, webhook: StoredWebhook): Promise<number> {
  if (webhook.body.eventType === 'address_activity')
    return evmStart(context, evmChain(context, webhook))
  const { ledger, body } = webhook
  return (await networkStart(context, body, ledger)).from
}

const sharedSecretSecretBytes = 32

/** Makes a secret; messages are signed with it from the next attempt on. */
export function rotateSharedSecret(
  context: EventContext,
): Operation<'generateOrRotateSharedSecret'> {
  return operation(Webhooks.generateOrRotateSharedSecret, async ({ caller }) => {
    const owner = ownerOf(caller)
    const secret = toHex(context.random.bytes(sharedSecretSecretBytes))
    const database = await context.webhooks()
    await database.transaction((writer) => setSecret(writer, owner, secret))
    return { body: { secret } }
  })
}

/** The secret; there is one from the first webhook on. Throws `not-found` before. */
export function getSharedSecret(context: EventContext): Operation<'getSharedSecret'> {
  return operation(Webhooks.getSharedSecret, async ({ caller }) => {
    const secret = await secretOfOwner(await context.webhooks(), ownerOf(caller))
    if (secret === undefined)
      throw new Fault('not-found', 'there is no secret yet: it is made with the first webhook')
    return { body: { secret } }
  })
}
