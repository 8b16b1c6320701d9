/** Addresses of a webhook of an EVM chain. */

import { toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { Webhook, WebhookAddressesBody, WebhookPath } from '../../shape/events/webhook.ts'
import { NoQuery } from '../../shape/evm/parameters.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { pageQuery } from '../../shape/primary/parameters.ts'
import { Type } from '../../shape/type.ts'
import type { Webhook as StoredWebhook } from '../../store/query/events/webhooks.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken, numberCursor, readPage } from '../operation/paging.ts'
import {
  addressesShown,
  changeOwn,
  ownWebhook,
  webhookWithPlace,
  type EventContext,
} from './own-webhook.ts'
import { evmAddressesIn, evmStart } from './read-webhook.ts'

const path = '/v1/webhooks/{id}/addresses'

const ListAddresses = {
  id: 'getAddressesFromWebhook',
  path,
  summary: 'Addresses of a webhook, in the order in which they were added',
  tag: 'Webhooks',
  parameters: { path: WebhookPath, query: Type.Object({ ...pageQuery }) },
  response: pageShape({
    addresses: Type.Array(Type.String({ description: 'EVM address' })),
    totalAddresses: Type.Integer({ description: 'How many the webhook has' }),
  }),
} as const

const AddAddresses = {
  id: 'addAddressesToWebhook',
  method: 'PATCH',
  path,
  summary: 'Add addresses to a webhook; their events are sent from the next block on',
  tag: 'Webhooks',
  parameters: { path: WebhookPath, query: NoQuery, body: WebhookAddressesBody },
  response: Webhook,
} as const

const RemoveAddresses = {
  id: 'removeAddressesFromWebhook',
  method: 'DELETE',
  path,
  summary: 'Remove addresses from a webhook',
  tag: 'Webhooks',
  parameters: { path: WebhookPath, query: NoQuery, body: WebhookAddressesBody },
  response: Webhook,
} as const

/** The addresses of a webhook of the caller's key. */
export function listWebhookAddresses(context: EventContext): Operation {
  return operation(ListAddresses, async ({ path: { id }, query, caller }) => {
    const webhook = await ownWebhook(await context.webhooks(), id, caller)
    checkKind(webhook)
    const all = addressesShown(webhook.body).map((address, at) => ({ address, at }))
    const page = await readPage(context.tokens, {
      route: ListAddresses.id,
      subject: { id },
      query,
      ...numberCursor,
      rows: (after = -1, limit) => all.slice(after + 1, after + 1 + limit),
      cursorOf: ({ at }) => at,
    })
    const addresses = page.rows.map(({ address }) => address)
    return { body: { ...nextToken(page), addresses, totalAddresses: all.length } }
  })
}

/** Adds addresses; those it has already stay as they are. */
export function addWebhookAddresses(context: EventContext): Operation {
  return operation(AddAddresses, async ({ path: { id }, body, caller }) => {
    const added = evmAddressesIn(body.addresses, context.limits.addresses).map(toHex)
    return changed(context, { id, caller }, async (webhook, known) => {
      const chain = context.chains.find(webhook.body.chainId)
      const from = await evmStart(context, chain)
      const before = new Set(known.map(([address]) => address))
      const fresh = added.filter((address) => !before.has(address))
      const all = [...known, ...fresh.map((address) => [address, from] as const)]
      if (all.length > context.limits.addresses)
        throw new Fault(
          'forbidden',
          `a webhook may have at most this many addresses: ${context.limits.addresses}`,
        )
      return all
    })
  })
}

/** Removes addresses; one at least must stay. */
export function removeWebhookAddresses(context: EventContext): Operation {
  return operation(RemoveAddresses, async ({ path: { id }, body, caller }) => {
    const gone = new Set(evmAddressesIn(body.addresses, context.limits.addresses).map(toHex))
    return changed(context, { id, caller }, async (_webhook, known) => {
      const left = known.filter(([address]) => !gone.has(address))
      if (left.length === 0)
        throw new Fault(
          'bad-parameter',
          'addresses: at least one must stay; or deactivate the webhook',
        )
      return left
    })
  })
}

type Known = readonly (readonly [string, number])[]

async function changed(
  context: EventContext,
  own: Parameters<typeof changeOwn>[1],
  change: (webhook: StoredWebhook, known: Known) => Promise<Known>,
): Promise<{ readonly body: Awaited<ReturnType<typeof webhookWithPlace>> }> {
  const database = await context.webhooks()
  const webhook = await changeOwn(database, own, async (before) => {
    const addresses = await change(before, checkKind(before))
    return { ...before, body: { ...before.body, watched: { kind: 'addresses', addresses } } }
  })
  return { body: await webhookWithPlace(database, webhook) }
}

function checkKind({ body }: StoredWebhook): Known {
  const { watched } = body
  if (body.eventType !== 'address_activity' || watched.kind !== 'addresses')
    throw new Fault('bad-parameter', 'only webhooks of EVM addresses have this list')
  return watched.addresses
}
