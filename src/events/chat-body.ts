/**
 * Messages in the form that chat services take at the addresses they give out.
 *
 * Source: api.slack.com/messaging/webhooks, discord.com/developers/docs/resources/webhook,
 * core.telegram.org/bots/api#sendmessage (the chat is named in the address).
 */

import { isObject } from '../core/json.ts'
import type { WebhookBody } from '../store/query/events/webhooks.ts'

type ChatFormat = NonNullable<WebhookBody['format']>

/** The member in which each takes text. */
const textMembers: Readonly<Record<ChatFormat, string>> = {
  slack: 'text',
  discord: 'content',
  telegram: 'text',
}

/** Characters of a text; the least that is taken is Discord's 2,000. */
const mostText = 1_900

/** A title and a line for each value of `event`; values are written by strangers and mention nobody. */
export function chatBody(format: ChatFormat, title: string, event: unknown): string {
  const lines = [title, ...linesOf(event, '')].join('\n')
  const plain = lines.length > mostText ? `${lines.slice(0, mostText)}…` : lines
  const text = format === 'slack' ? escaped(plain) : plain
  const quiet = format === 'discord' ? { allowed_mentions: { parse: [] } } : {}
  return JSON.stringify({ [textMembers[format]]: text, ...quiet })
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
