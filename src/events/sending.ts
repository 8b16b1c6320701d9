/**
 * One attempt to deliver a message to an address that a stranger named.
 *
 * Addresses that are not public are refused by the transport at the moment of connecting, whatever
 * name led to them; redirects are not followed; an answer is given ten seconds and 64 KiB.
 */

import { createHmac } from 'node:crypto'

import { faultIn } from '../core/fault.ts'
import type { Transport } from '../core/world.ts'
import type { Message } from './message.ts'

/** Time for an answer. Source: guide of the hosted service. */
export const answerTimeoutMs = 10_000

/** An answer says nothing that is read: only its status counts. */
const maxAnswerBytes = 65_536

/** How messages are sent. */
export type SendingOptions = {
  /** Refuses addresses that are not public. */
  readonly publicTransport: Transport | undefined
  readonly transport: Transport
  /** Hosts the operator allows although they are not public; `any` allows all. */
  readonly privateHosts: readonly string[]
  readonly signature: SignatureForm
}

/** A message to send, the attempts so far, and whether its caller requested it again. */
export type Sending = {
  readonly url: string
  readonly message: Message
  readonly secret: string
  readonly attempt: number
  readonly isReplay: boolean
}

/** Returns whether the operator allows webhooks to this host wherever it is. */
export function isPrivateHost(privateHosts: readonly string[], url: URL): boolean {
  return privateHosts.some((host) => host === 'any' || host === url.hostname || host === url.host)
}

/** Sends once; gives why it failed, or `undefined` when any 2xx was answered in time. */
export async function send(
  options: SendingOptions,
  { url, message, secret, attempt, isReplay }: Sending,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isAllowed = isPrivateHost(options.privateHosts, new URL(url))
  const transport = isAllowed ? options.transport : options.publicTransport
  if (transport === undefined) return 'nothing is sent beyond this machine'
  try {
    const { status } = await transport.request({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-signature': signatureOf(message.body, secret, options.signature),
        'x-firn-attempt': String(attempt),
        'x-firn-source': message.isComputed ? 'history' : 'outbox',
        ...(isReplay ? { 'x-firn-replay': 'true' } : {}),
      },
      body: message.body,
      timeoutMs: answerTimeoutMs,
      maxBytes: maxAnswerBytes,
      signal,
    })
    return status >= 200 && status < 300 ? undefined : `answered ${status}`
  } catch (error) {
    signal.throwIfAborted()
    const fault = faultIn(error)
    if (fault.code === 'node-refused')
      return 'the address is not public, and not in the setting events.privateHosts'
    if (fault.code === 'node-too-large') return `the answer is longer than ${maxAnswerBytes} bytes`
    return 'no answer'
  }
}

/** Form of the signing key: the bytes of its hex digits, or its text. */
type SignatureForm = 'hex' | 'text'

/**
 * Base64 of HMAC-SHA-256 over `body`.
 *
 * Source: the hosted service's guide on webhooks signs with the bytes of the secret (`hex`); the
 * clients' `validateWebhook` checks with its text.
 */
export function signatureOf(body: string, secret: string, form: SignatureForm): string {
  const key = form === 'hex' ? Buffer.from(secret, 'hex') : Buffer.from(secret, 'utf8')
  return createHmac('sha256', key).update(body, 'utf8').digest('base64')
}
