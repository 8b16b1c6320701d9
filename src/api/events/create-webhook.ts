/** Registers what a caller wants to be told. */

import { randomUUID } from 'node:crypto'

import { toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { firstWebhookPlace } from '../../events/deliverer.ts'
import { CreateWebhookBody, Webhook } from '../../shape/events/webhook.ts'
import { NoPath } from '../../shape/evm/path.ts'
import { NoQuery } from '../../shape/evm/query.ts'
import { writePlace } from '../../store/query/events/webhook-places.ts'
import {
  addWebhook,
  countWebhooks,
  removeOldestInactive,
  secretOfOwner,
  setSecret,
} from '../../store/query/events/webhooks.ts'
import { ownerOf } from '../operation/caller.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { webhookView } from './own-webhook.ts'
import type { EventParts } from './parts.ts'
import { readWebhook } from './read-webhook.ts'

const CreateWebhook = {
  id: 'createWebhook',
  method: 'POST',
  path: '/v1/webhooks',
  summary: 'Register a webhook; it begins with the next block',
  tag: 'Webhooks',
  weight: 20,
  status: 201,
  parameters: { path: NoPath, query: NoQuery, body: CreateWebhookBody },
  response: Webhook,
} as const

/** A new secret. Source: guide of the hosted service, 32 bytes. */
const secretBytes = 32

/** Adds the webhook to those of the caller's key, and makes a secret with the first. */
export function createWebhook(parts: EventParts): Operation {
  return operation(CreateWebhook, async ({ body, caller }) => {
    const owner = ownerOf(caller)
    const read = await readWebhook(parts, body)
    const database = await parts.webhooks()
    const added = {
      id: randomUUID(),
      owner,
      store: read.store,
      ledger: read.ledger,
      active: true,
      createdMs: parts.clock.now(),
      body: read.body,
    }
    const number = await database.transaction(async (writer) => {
      const isFull = (await countWebhooks(writer, owner)) >= parts.limits.webhooks
      // What was deleted is kept to be looked at, until its place is needed.
      if (isFull && !(await removeOldestInactive(writer, owner)))
        throw new Fault(
          'forbidden',
          `a key may have at most this many webhooks: ${parts.limits.webhooks}`,
        )
      if ((await secretOfOwner(writer, owner)) === undefined)
        await setSecret(writer, owner, toHex(parts.random.bytes(secretBytes)))
      const given = await addWebhook(writer, added)
      await writePlace(writer, firstWebhookPlace(given, read.from))
      return given
    })
    parts.news.wake()
    return { body: webhookView({ ...added, number, changed: 1 }) }
  })
}
