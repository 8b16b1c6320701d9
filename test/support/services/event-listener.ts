/** Listens to event streams as any program does. */

import assert from 'node:assert/strict'

import { objectOf } from '../../../src/codec/evm/raw.ts'

/** An event: its id, and the transaction it is about. */
export type StreamEvent = { readonly id: string; readonly hash: string }

/** Reads an event stream until `enough`. */
export async function streamed(
  url: string,
  headers: Readonly<Record<string, string>>,
  enough: (events: readonly StreamEvent[]) => boolean,
): Promise<StreamEvent[]> {
  const over = new AbortController()
  const reply = await fetch(url, { headers, signal: over.signal })
  assert.equal(reply.status, 200)
  assert.match(reply.headers.get('content-type') ?? '', /^text\/event-stream/)
  const events: StreamEvent[] = []
  let text = ''
  assert.ok(reply.body !== null)
  for await (const part of reply.body.pipeThrough(new TextDecoderStream())) {
    text += part
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end)
      text = text.slice(end + 2)
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data === undefined) continue
      events.push({ id: /^id: (.*)$/m.exec(block)?.[1] ?? '', hash: hashIn(JSON.parse(data)) })
    }
    if (enough(events)) break
  }
  over.abort()
  return events
}

/** Hash of the transaction that a message is about. */
export function hashIn(message: unknown): string {
  const event = objectOf(objectOf(message, 'message')['event'], 'event')
  return String(objectOf(event['transaction'], 'transaction')['txHash'])
}
