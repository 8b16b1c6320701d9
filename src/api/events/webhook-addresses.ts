/** Addresses of a webhook of an EVM chain. */

import { toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { Webhooks } from '../../shape/operations/webhooks.ts'
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

/** The addresses of a webhook of the caller's key. */
export function listWebhookAddresses(context: EventContext): Operation<'getAddressesFromWebhook'> {
  return operation(Webhooks.getAddressesFromWebhook, async ({ path: { id }, query, caller }) => {
    const webhook = await ownWebhook(await context.webhooks(), id, caller)
    checkKind(webhook)
    const all = addressesShown(webhook.body).map((address, at) => ({ address, at }))
    const page = await readPage(context.evm.tokens, {
      route: Webhooks.getAddressesFromWebhook.id,
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
export function addWebhookAddresses(context: EventContext): Operation<'addAddressesToWebhook'> {
  return operation(Webhooks.addAddressesToWebhook, async ({ path: { id }, body, caller }) => {
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
export function removeWebhookAddresses(
  context: EventContext,
): Operation<'removeAddressesFromWebhook'> {
  return operation(Webhooks.removeAddressesFromWebhook, async ({ path: { id }, body, caller }) => {
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
