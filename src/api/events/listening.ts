/**
 * Messages of a webhook as they come, for a caller who listens.
 *
 * Where a listener stands is in what it says when it comes: nothing is kept for it here, and one
 * that is slow holds nothing but its own connection.
 */

import { Fault } from '../../core/fault.ts'
import { readMessages } from '../../events/message-reader.ts'
import type { Message, MessagePlace } from '../../events/message.ts'
import { placeOfHeight, storedUntil } from '../../store/query/events/ledger-places.ts'
import { type Webhook, webhookById } from '../../store/query/events/webhooks.ts'
import { type Caller, ownerOf } from '../operation/operation.ts'
import { ownWebhook, type EventContext } from './own-webhook.ts'

/** Where a listener begins, as it wrote it. */
export type ListenQuery = {
  /** Id of the last message it has. */
  readonly after: string | undefined
  /** A height, base 10. */
  readonly from: string | undefined
}

/** All owners together may listen this many times as often as one. */
const ownersAtOnce = 256

/** Longest silence before something is sent anyway. */
const quietMs = 15_000

/** A listener who was let in. */
export type Listener = {
  readonly webhook: Webhook
  readonly from: MessagePlace
  /** Call it once when the listener is gone. */
  readonly leave: () => void
}

/**
 * Lets a listener in. Throws `key-required`, `not-found`, `bad-parameter`, and `overloaded` where
 * too many listen.
 */
export async function admitListener(
  context: EventContext,
  query: ListenQuery & { readonly id: string; readonly caller: Caller },
): Promise<Listener> {
  const webhook = await ownWebhook(await context.webhooks(), query.id, query.caller)
  const from = await startOf(context, webhook, query)
  const counts = context.listeners
  const owner = ownerOf(query.caller)
  const own = counts.get(owner) ?? 0
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (own >= context.limits.listeners || all >= context.limits.listeners * ownersAtOnce)
    throw new Fault('overloaded', `too many listen already: ${own}`)
  counts.set(owner, own + 1)
  let isGone = false
  const leave = (): void => {
    if (isGone) return
    isGone = true
    const left = (counts.get(owner) ?? 1) - 1
    if (left === 0) counts.delete(owner)
    else counts.set(owner, left)
  }
  return { webhook, from, leave }
}

/** Id of a message for those who listen: they give it to go on after it. */
export function listenId({ pos, index }: MessagePlace): string {
  return `${pos}.${index}`
}

async function startOf(
  context: EventContext,
  webhook: Webhook,
  { after, from }: ListenQuery,
): Promise<MessagePlace> {
  if (after !== undefined && after !== '') {
    const [, pos, index] = /^(\d{1,16})\.(\d{1,9})$/.exec(after) ?? []
    if (pos === undefined)
      throw new Fault('bad-parameter', 'the last event id was not given out here')
    return { pos: Number(pos), index: Number(index) + 1 }
  }
  if (from !== undefined && from !== '') {
    if (!/^\d{1,9}$/.test(from)) throw new Fault('bad-parameter', 'from must be a height, base 10')
    return { pos: placeOfHeight(webhook.ledger, Number(from)), index: 0 }
  }
  const store = context.reader.storeOf(webhook.store)
  const pos =
    store === undefined
      ? placeOfHeight(webhook.ledger, 0)
      : await storedUntil(store, webhook.ledger)
  return { pos, index: 0 }
}

/** A listener receives messages, or `quiet` when there were none for a while. */
export type Heard = Message | 'quiet'

/**
 * Messages from `from` on, until `signal` is aborted or the webhook is no longer what it was.
 *
 * @yields {Heard} messages in order, and `quiet` when nothing was sent for {@link quietMs}.
 */
export async function* heard(
  context: EventContext,
  { webhook, from }: Pick<Listener, 'webhook' | 'from'>,
  signal: AbortSignal,
): AsyncGenerator<Heard, void> {
  let place = from
  const outboxes = context.outboxes.listen(() => [webhook.store])
  while (!signal.aborted) {
    // Blocks that come while it is read count for the next time.
    outboxes.take()
    const read = await readMessages(context.reader, webhook, place, signal)
    yield* read.messages
    place = read.next
    if (read.messages.length > 0) continue
    const waiting = new AbortController()
    const either = AbortSignal.any([signal, waiting.signal])
    const late = context.clock.sleep(quietMs, either).then(
      () => true,
      () => false,
    )
    const isQuiet = await Promise.race([outboxes.next(either).then(() => false), late])
    waiting.abort()
    if (!isQuiet) continue
    if (!(await isSame(context, webhook))) return
    yield 'quiet'
  }
}

/** Returns whether the webhook is unchanged; a listener of a changed one must come again. */
async function isSame(context: EventContext, webhook: Webhook): Promise<boolean> {
  const { id, changed, number, owner } = webhook
  if (!context.isLive(owner)) return false
  const now = await webhookById(await context.webhooks(), id)
  return now?.active === true && now.changed === changed && now.number === number
}
