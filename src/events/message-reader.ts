/** Reads the messages of a webhook in order: from the outbox, and before it begins from history. */

import type { Reader } from '../store/engine/database.ts'
import { storedUntil } from '../store/query/events/ledger-places.ts'
import { collectedSince, outboxPlaces } from '../store/query/events/outbox.ts'
import { findPlaces } from '../store/query/events/places.ts'
import { type Webhook, watchOf } from '../store/query/events/webhooks.ts'
import { type Describe, type Message, messageOf, type MessagePlace } from './message.ts'

/** Where messages are read. */
export type MessageSources = {
  /** The store of a chain by its key; `undefined` where it is not served here, or not yet. */
  readonly storeOf: (key: string) => Reader | undefined
  readonly describe: Describe
}

/** Places read at once. */
const placesAtOnce = 32

/** Messages found, and where to continue. Without messages there are no more for now. */
export type ReadMessages = { readonly messages: readonly Message[]; readonly next: MessagePlace }

/**
 * Messages of `webhook` from `from` on, those of a few places at most, oldest first. Throws what
 * describing them throws.
 */
export async function readMessages(
  { storeOf, describe }: MessageSources,
  webhook: Webhook,
  from: MessagePlace,
  signal: AbortSignal,
): Promise<ReadMessages> {
  const store = storeOf(webhook.store)
  if (store === undefined) return { messages: [], next: from }
  let next = from
  for (;;) {
    const found = await nextPlaces(store, webhook, next.pos)
    if (found === undefined) return { messages: [], next }
    const messages: Message[] = []
    for (const pos of found.places) {
      const events = await describe(webhook, pos, signal)
      const first = pos === next.pos ? next.index : 0
      for (let index = first; index < events.length; index++)
        messages.push(
          messageOf(webhook, { pos, index, isComputed: found.isComputed }, events[index] ?? {}),
        )
    }
    next = { pos: found.next, index: 0 }
    if (messages.length > 0) return { messages, next }
    signal.throwIfAborted()
    // The embedded engine answers at once: others get their turn while the past is looked through.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

type Found = {
  readonly places: readonly number[]
  readonly next: number
  readonly isComputed: boolean
}

/** The next places from `from` on; `undefined` when there are none yet. */
async function nextPlaces(
  store: Reader,
  webhook: Webhook,
  from: number,
): Promise<Found | undefined> {
  // Before the first block since it was registered, all that is stored is past.
  const since =
    (await collectedSince(store, webhook.number)) ?? (await storedUntil(store, webhook.ledger))
  if (from < since) {
    const range = { from, until: since }
    const found = await findPlaces(store, watchOf(webhook), {
      range,
      limit: placesAtOnce,
      isHistory: true,
    })
    return { ...found, isComputed: true }
  }
  const places = await outboxPlaces(store, { number: webhook.number, from, limit: placesAtOnce })
  const last = places.at(-1)
  return last === undefined ? undefined : { places, next: last + 1, isComputed: false }
}
