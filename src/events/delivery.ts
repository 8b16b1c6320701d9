/**
 * Delivers the messages of one webhook, one after the other.
 *
 * Order holds within a webhook: a message that fails is tried again, with growing pauses, before the
 * next one is sent. That an attempt begins is written before it is made, so that whatever is sent a
 * second time says so. A message that failed for the last time is a dead letter, and the next one
 * follows.
 */

import type { Clock } from '../core/world.ts'
import type { Writer } from '../store/engine/database.ts'
import {
  addDeadLetter,
  type WebhookPlace,
  writePlace,
} from '../store/query/events/webhook-places.ts'
import type { Webhook } from '../store/query/events/webhooks.ts'
import { readMessages, type MessageSources } from './message-reader.ts'
import type { Message } from './message.ts'
import { send, type SendingOptions } from './sending.ts'

/** How messages are delivered. */
export type Delivery = {
  readonly sources: MessageSources
  readonly sending: SendingOptions
  readonly clock: Clock
  /** Pauses after failed attempts, milliseconds. */
  readonly retryMs: readonly number[]
  readonly counted: (outcome: 'delivered' | 'failed' | 'dead') => void
}

/** Commits while this process is the one that delivers. */
export type CommitDelivery = (work: (writer: Writer) => Promise<void>) => Promise<void>

type DeliveryOptions = Delivery & { readonly commit: CommitDelivery }

/** Dead letters of a webhook that are kept; the oldest go first. */
const maxDeadLetters = 1_000

/** After so many dead letters in a row the receiver is taken to be gone. */
const deadInARow = 5

/** Messages delivered before others get their turn. */
const messagesAtOnce = 256

/** Why delivering stopped, and until when it makes no sense to go on. */
export type Stopped =
  | { readonly why: 'up-to-date' | 'turn-over' | 'deactivated' }
  | { readonly why: 'waiting'; readonly dueMs: number }

/**
 * Delivers what there is, from `place` on. Throws what reading messages throws, and `lease-lost`
 * once another process delivers.
 */
export async function deliver(
  options: DeliveryOptions,
  at: { readonly webhook: Webhook; readonly place: WebhookPlace; readonly secret: string },
  signal: AbortSignal,
): Promise<Stopped> {
  let { place } = at
  // Deliveries made before are written together with the next attempt, or at the end.
  let isWritten = true
  const settle = async (): Promise<void> => {
    if (!isWritten) await options.commit((writer) => writePlace(writer, place))
    isWritten = true
  }
  for (let sent = 0; ;) {
    const read = await readMessages(options.sources, at.webhook, place, signal)
    for (const message of read.messages) {
      const now = options.clock.now()
      if (place.dueMs > now) return { why: 'waiting', dueMs: place.dueMs }
      place = begun(place, message, now + (options.retryMs[place.attempts] ?? 0))
      await options.commit((writer) => writePlace(writer, place))
      isWritten = true
      const problem = await send(options.sending, sendingOf(at, place, message), signal)
      options.counted(problem === undefined ? 'delivered' : 'failed')
      const failed =
        problem === undefined ? undefined : await fail(options, { place, message, problem })
      if (failed === undefined) {
        place = delivered(place, message)
        isWritten = false
      } else if (failed.why === 'given-up') place = failed.place
      else return failed
      if (++sent >= messagesAtOnce) {
        await settle()
        return { why: 'turn-over' }
      }
    }
    const isOver = read.messages.length === 0
    if (place.pos !== read.next.pos || place.index !== read.next.index) {
      place = { ...place, ...read.next, attempts: 0, dueMs: 0 }
      isWritten = false
    }
    if (!isOver) continue
    await settle()
    return { why: 'up-to-date' }
  }
}

function begun(place: WebhookPlace, { pos, index: count }: Message, dueMs: number): WebhookPlace {
  const isSame = place.pos === pos && place.index === count
  return { ...place, pos, index: count, attempts: isSame ? place.attempts + 1 : 1, dueMs }
}

function delivered(place: WebhookPlace, message: Message): WebhookPlace {
  return {
    ...place,
    pos: message.pos,
    index: message.index + 1,
    attempts: 0,
    dueMs: 0,
    dead: 0,
    problem: undefined,
  }
}

function sendingOf(
  { webhook, secret }: { readonly webhook: Webhook; readonly secret: string },
  place: WebhookPlace,
  message: Message,
): Parameters<typeof send>[1] {
  return {
    url: webhook.body.url,
    message,
    secret,
    attempt: place.attempts,
    isReplay: message.pos < place.replayUntil,
  }
}

type Failed =
  | { readonly why: 'waiting'; readonly dueMs: number }
  | { readonly why: 'deactivated' }
  | { readonly why: 'given-up'; readonly place: WebhookPlace }

/** Writes that an attempt failed; the message is given up after the last one. */
async function fail(
  options: DeliveryOptions,
  of: { readonly place: WebhookPlace; readonly message: Message; readonly problem: string },
): Promise<Failed> {
  const { message, problem } = of
  if (of.place.attempts <= options.retryMs.length) {
    const place = { ...of.place, problem }
    await options.commit((writer) => writePlace(writer, place))
    return { why: 'waiting', dueMs: place.dueMs }
  }
  options.counted('dead')
  const dead = of.place.dead + 1
  const place = { ...delivered(of.place, message), dead, problem }
  await options.commit(async (writer) => {
    const { pos, index: count, id } = message
    const { number, attempts } = of.place
    const failedMs = options.clock.now()
    const letter = { number, pos, index: count, messageId: id, attempts, failedMs, problem }
    await addDeadLetter(writer, letter, maxDeadLetters)
    await writePlace(writer, place)
  })
  return dead >= deadInARow ? { why: 'deactivated' } : { why: 'given-up', place }
}
