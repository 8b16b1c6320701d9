/** Signatures of messages. */

import { createHmac } from 'node:crypto'

/** Form of the signing key: the bytes of its hex digits, or its text. */
export type SignatureForm = 'hex' | 'text'

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
