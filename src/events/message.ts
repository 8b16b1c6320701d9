/**
 * Messages for webhooks, event streams and sockets.
 *
 * This folder reads what is to be sent, in order, and delivers it. It knows no operation and no
 * shape: what happened at a place is described by a function it is handed.
 */

import { createHash } from 'node:crypto'

import { toHex } from '../core/bytes.ts'
import { assert } from '../core/fault.ts'
import { isObject } from '../core/json.ts'
import type { Webhook, WebhookBody } from '../store/query/events/webhooks.ts'

/** A message of a webhook: number `index` of those of its place, from 0. */
export type MessagePlace = { readonly pos: number; readonly index: number }

/** Describes a place of a chain as messages of a webhook, in order, the same each time. */
export type Describe = (
  webhook: Webhook,
  pos: number,
  signal: AbortSignal,
) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** A message ready to be sent. */
export type Message = MessagePlace & {
  /** A UUID, the same whenever this message is sent. */
  readonly id: string
  /** Canonical JSON, or what a chat service takes. */
  readonly body: string
  /** Computed from history, because the outbox does not have it. */
  readonly isComputed: boolean
}

/** The message of `event`. */
export function messageOf(
  webhook: Webhook,
  at: MessagePlace & Pick<Message, 'isComputed'>,
  event: Readonly<Record<string, unknown>>,
): Message {
  const id = messageId(webhook.id, at)
  const { eventType, name, format } = webhook.body
  const body =
    format === undefined
      ? canonicalJson({ webhookId: webhook.id, eventType, messageId: id, event })
      : chatBody(format, name === '' ? eventType : `${eventType}: ${name}`, event)
  return { ...at, id, body }
}

/** A UUID of version 8 that is made of what it names. Source: RFC 9562, section 5.8. */
export function messageId(webhookId: string, { pos, index }: MessagePlace): string {
  const hash = createHash('sha256').update(`${webhookId} ${pos} ${index}`).digest().subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = toHex(hash)
  return [8, 12, 16, 20, 32].map((end, at) => hex.slice([0, 8, 12, 16, 20][at], end)).join('-')
}

/**
 * `value` as RFC 8785 has it: keys in the order of their UTF-16 code units, no spaces. A key whose
 * value is `undefined` is left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value)
    assert(text !== undefined, 'only values that JSON has are written')
    return text
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  // The default order is that of UTF-16 code units.
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`
}

// Messages in the form that chat services take at the addresses they give out.
//
// Source: api.slack.com/messaging/webhooks, discord.com/developers/docs/resources/webhook,
// core.telegram.org/bots/api#sendmessage (the chat is named in the address).

type ChatFormat = NonNullable<WebhookBody['format']>

/** Characters of a text; the least that is taken is Discord's 2,000. */
const mostText = 1_900

/**
 * A title and a line for each value of `event`. Values are written by strangers: they mention nobody and
 * lead nowhere, so Discord and Telegram are told that they are code.
 */
export function chatBody(format: ChatFormat, title: string, event: unknown): string {
  const all = `${title}\n${inert([...linesOf(event, '')].join('\n'))}`
  const plain = all.length > mostText ? `${all.slice(0, mostText)}…` : all
  const lines = plain.slice(title.length + 1)
  switch (format) {
    case 'slack':
      return JSON.stringify({ text: escaped(plain) })
    case 'discord': {
      const content = `${title}\n\`\`\`\n${lines}\n\`\`\``
      return JSON.stringify({ content, allowed_mentions: { parse: [] } })
    }
    case 'telegram': {
      const code = { type: 'pre', offset: title.length + 1, length: lines.length }
      return JSON.stringify({ text: plain, entities: [code] })
    }
  }
}

/** `text` without what ends code, and with mentions and addresses apart, as no service reads them. */
function inert(text: string): string {
  return text.replaceAll('`', 'ˋ').replaceAll('@', '@\u200b').replaceAll('://', ':\u200b//')
}

function* linesOf(value: unknown, path: string): Generator<string> {
  if (isObject(value) || Array.isArray(value))
    for (const [name, inner] of Object.entries(value))
      yield* linesOf(inner, path === '' ? name : `${path}.${name}`)
  else if (value !== '' && value !== null && value !== undefined)
    yield `${path}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
}

/** Slack reads mentions and links between these. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
