/** The example of the guide accepts what Firn signs, and nothing else; the clients' own checks agree. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

import { Avalanche } from '@avalanche-sdk/chainkit'

import { canonicalJson } from '../../src/events/message.ts'
import { signatureOf } from '../../src/events/sending.ts'

type IsGenuine = (secret: string, signature: string | undefined, body: string) => boolean

const secret = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff'
const other = 'ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff'

/** The first program of the guide, as it stands there. */
async function example(): Promise<IsGenuine> {
  const guide = await readFile(new URL('../../docs/guide/events.md', import.meta.url), 'utf8')
  const [, program = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? []
  const address = `data:text/javascript,${encodeURIComponent(program)}`
  const { isGenuine }: { isGenuine: IsGenuine } = await import(address)
  return isGenuine
}

const message = {
  webhookId: 'a',
  eventType: 'address_activity',
  messageId: 'b',
  event: { transaction: { value: '10', text: 'é€\u{1f600}', list: [1, 0.5, 1e21], empty: {} } },
}

void test('guide on webhooks: its example accepts what is signed and refuses what is forged', async () => {
  const isGenuine = await example()
  const body = canonicalJson(message)
  const signature = signatureOf(body, secret, 'hex')
  assert.equal(isGenuine(secret, signature, body), true)
  for (const [name, forged, text] of [
    ['another body', signature, body.replace('"10"', '"11"')],
    ['another secret', signatureOf(body, other, 'hex'), body],
    ['the other form', signatureOf(body, secret, 'text'), body],
    ['one bit', flipped(signature), body],
    ['cut off', signature.slice(0, 20), body],
    ['empty', '', body],
    ['absent', undefined, body],
  ] as const)
    assert.equal(isGenuine(secret, forged, text), false, name)
})

void test('signatures: the checks of the official client accept either form, and no forged one', async () => {
  const { validateSignature } = await import('@avalanche-sdk/chainkit/utils/validateSignature.js')
  const body = canonicalJson(message)
  const documented = signatureOf(body, secret, 'hex')
  // It canonicalises what was parsed: the body must be in that form already.
  assert.equal(validateSignature(secret, documented, JSON.parse(body)), true)
  assert.equal(validateSignature(secret, flipped(documented), JSON.parse(body)), false)
  const client = new Avalanche()
  const check = async (signature: string): Promise<string> => {
    const request = new Request('http://127.0.0.1/hook', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-signature': signature },
      body,
    })
    try {
      await client.validateWebhook({ request, secret })
      return 'accepted'
    } catch (error) {
      return error instanceof Error ? error.constructor.name : 'unknown'
    }
  }
  assert.equal(
    await check(flipped(signatureOf(body, secret, 'text'))),
    'WebhookAuthenticationError',
  )
  // The signature is right: what it refuses then is only the shape of this made-up event.
  assert.notEqual(await check(signatureOf(body, secret, 'text')), 'WebhookAuthenticationError')
})

/** The same with one bit of its first byte changed. */
function flipped(signature: string): string {
  const bytes = Buffer.from(signature, 'base64')
  bytes[0] = (bytes[0] ?? 0) ^ 1
  return bytes.toString('base64')
}
