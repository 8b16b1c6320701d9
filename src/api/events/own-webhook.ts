/** The webhook a caller means, and what of it answers show. */

import { toChecksumAddress } from '../../core/address.ts'
import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import type { Clock, Random } from '../../core/world.ts'
import type { MessageSources } from '../../events/message-reader.ts'
import type { OutboxWatch } from '../../events/outbox-watch.ts'
import type { Webhook as WebhookView } from '../../shape/events/webhook.ts'
import type { Static } from '../../shape/type.ts'
import type { Database, Reader, Writer } from '../../store/engine/database.ts'
import { heightOfPlace } from '../../store/query/events/ledger-places.ts'
import { type WebhookPlace, webhookPlaceOf } from '../../store/query/events/webhook-places.ts'
import {
  changeWebhook,
  type Webhook,
  webhookById,
  type WebhookBody,
} from '../../store/query/events/webhooks.ts'
import type { EvmContext } from '../evm/evm-context.ts'
import type { ChainDirectory } from '../operation/chain-directory.ts'
import { type Caller, ownerOf } from '../operation/operation.ts'
import type { NetworkDirectory } from '../primary/network/networks.ts'

type View = Static<typeof WebhookView>

/**
 * The webhook with this id, where it is the caller's. Throws `key-required`, and `not-found` also
 * for those of others.
 */
export async function ownWebhook(reader: Reader, id: string, caller: Caller): Promise<Webhook> {
  const owner = ownerOf(caller)
  const found = await webhookById(reader, id)
  if (found === undefined || found.owner !== owner)
    throw new Fault('not-found', `no webhook of this key has the id: ${id}`)
  return found
}

/** Times a change is tried when others change the same webhook. */
const mostTries = 5

/**
 * Changes a webhook of the caller in one transaction: `change` gives what it is then, and may write
 * more. Throws as {@link ownWebhook}, and `overloaded` while others change it all the time.
 */
export async function changeOwn(
  database: Database,
  own: { readonly id: string; readonly caller: Caller },
  change: (webhook: Webhook, writer: Writer) => Promise<Webhook>,
): Promise<Webhook> {
  for (let tried = 0; tried < mostTries; tried++) {
    const changed = await database.transaction(async (writer) => {
      const before = await ownWebhook(writer, own.id, own.caller)
      const after = await change(before, writer)
      return (await changeWebhook(writer, after)) ? after : undefined
    })
    if (changed !== undefined) return changed
  }
  throw new Fault('overloaded', 'others change this webhook at the same time')
}

/** A webhook as answers show it, with how far it was sent where that is wanted. */
export function webhookView(webhook: Webhook, place?: WebhookPlace): View {
  const { body } = webhook
  const isEvm = body.eventType === 'address_activity'
  return {
    id: webhook.id,
    eventType: body.eventType,
    url: body.url,
    format: body.format,
    chainId: body.chainId,
    network: body.network,
    status: webhook.active ? 'active' : 'inactive',
    createdAt: webhook.createdMs,
    name: body.name,
    description: body.description,
    ...(isEvm
      ? { includeInternalTxs: body.includeInternalTxs, includeLogs: body.includeLogs }
      : {}),
    metadata: metadataOf(body),
    delivery: place === undefined ? undefined : deliveryOf(webhook, place),
  }
}

/** As {@link webhookView}, with how far it was sent. */
export async function webhookWithPlace(reader: Reader, webhook: Webhook): Promise<View> {
  const isSent = webhook.body.url !== ''
  return webhookView(webhook, isSent ? await webhookPlaceOf(reader, webhook.number) : undefined)
}

function deliveryOf(webhook: Webhook, place: WebhookPlace): NonNullable<View['delivery']> {
  const { attempts, dueMs, problem } = place
  const isFailing = attempts > 0 && problem !== undefined
  return {
    toldUntilBlock: String(heightOfPlace(webhook.ledger, place.pos)),
    failedAttempts: isFailing ? attempts : 0,
    nextAttemptAt: isFailing ? dueMs : undefined,
    problem,
  }
}

/** Addresses of a webhook of an EVM chain, with their checksums, in the order of registering. */
export function addressesShown({ watched }: WebhookBody): string[] {
  return watched.kind === 'addresses'
    ? watched.addresses.map(([hex]) => toChecksumAddress(fromHex(hex)))
    : []
}

function metadataOf(body: WebhookBody): View['metadata'] {
  const { watched, subEvents, keys, only, balance, eventSignatures, event } = body
  const signatures = eventSignatures.length === 0 ? {} : { eventSignatures: [...eventSignatures] }
  if (body.eventType === 'address_activity')
    return {
      addresses: addressesShown(body),
      ...signatures,
      ...(event && { event: { name: event.name, arguments: event.arguments } }),
    }
  if (watched.kind === 'addresses')
    return {
      keyType: 'addresses',
      keys: [...keys],
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked when it was registered
      subEvents: { addressActivitySubEvents: [...subEvents] as never },
      balanceThresholdFilter:
        balance === undefined
          ? undefined
          : {
              // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
              balanceType: balance.type as never,
              balanceThreshold: balance.threshold,
            },
      ...signatures,
    }
  const { kind, l1Threshold } = watched
  const narrowed = kind === 'node' ? { subnetIds: [...only] } : { nodeIds: [...only] }
  return {
    keyType: kind === 'node' ? 'nodeId' : 'subnetId',
    keys: [...keys],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    subEvents: { validatorActivitySubEvents: [...subEvents] as never },
    ...(only.length === 0 ? {} : narrowed),
    l1ValidatorFeeBalanceThreshold: l1Threshold,
    ...signatures,
  }
}

/** Everything the operations on webhooks need. */
export type EventContext = {
  /** The store of webhooks, open for writing. Rejects `store-failed` while it cannot be opened. */
  readonly webhooks: () => Promise<Database>
  readonly chains: ChainDirectory
  readonly evm: EvmContext
  readonly networks: NetworkDirectory
  /** Key of the store of a primary network. */
  readonly networkKey: (network: 'mainnet' | 'fuji') => string
  /** Newest height of a stage of a store, by the store's key, where it was reported of late. */
  readonly headOf: (key: string, stage: string) => number | undefined
  readonly clock: Clock
  readonly random: Random
  /** Why nothing may be sent to an address; `undefined` where it may. */
  readonly problemOf: (url: URL) => string | undefined
  /** Returns whether an API key with this id still exists; true for the empty id. */
  readonly isLive: (owner: string) => boolean
  readonly reader: MessageSources
  readonly outboxes: OutboxWatch
  /** Number of listeners by owner. */
  readonly listeners: Map<string, number>
  readonly limits: {
    /** Setting `events.webhooksPerKey`. */
    readonly webhooks: number
    /** Setting `events.addressesPerWebhook`. */
    readonly addresses: number
    /** Setting `events.listenersPerKey`. */
    readonly listeners: number
  }
}
