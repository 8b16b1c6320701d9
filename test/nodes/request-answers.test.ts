/** What a node answers while a caller waits: its form is looked at first, and nobody else waits. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { statusOf } from '../../src/api/operation/status.ts'
import { faultOf } from '../../src/core/fault.ts'
import type { HttpRequest } from '../../src/core/world.ts'
import { createStateReader } from '../../src/service/stores/state-reader.ts'
import { openNodeSource } from '../../src/source/evm/node-source.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { fileWorld } from '../support/services/primary-service.ts'

const { signal } = new AbortController()
const fine = new Uint8Array(20)
const bad = new Uint8Array(20).fill(1)
const hash = `0x${'ab'.repeat(32)}`

/** The reader over a node that answers `eth_getBalance`, `eth_getCode` and `eth_call` of one address with this. */
function readerOver(
  result: string,
  member: 'result' | 'error' = 'result',
): ReturnType<typeof createStateReader> {
  const answerTo = (call: { readonly id: number; readonly method: string }): string => {
    const resultText = (value: unknown): string =>
      `{"jsonrpc":"2.0","id":${call.id},"result":${JSON.stringify(value)}}`
    if (call.method === 'eth_chainId') return resultText('0x1')
    if (call.method === 'eth_getBlockByNumber') return resultText({ hash })
    if (call.method === 'web3_clientVersion') return resultText('v')
    if (!JSON.stringify(call).includes('01'.repeat(20))) return resultText('0x0de0b6b3a7640000')
    return `{"jsonrpc":"2.0","id":${call.id},"${member}":${result}}`
  }
  const source = openNodeSource({
    world: {
      ...fileWorld,
      transport: {
        request: async ({ body }: HttpRequest) => {
          const calls = JSON.parse(String(body))
          const text = Array.isArray(calls) ? `[${calls.map(answerTo).join(',')}]` : answerTo(calls)
          return { status: 200, headers: {}, body: new TextEncoder().encode(text) }
        },
      },
    },
    log: silentLog,
    urls: ['http://node'],
    expected: {},
    timeoutMs: 1_000,
    traceTimeoutMs: 1_000,
    maxInFlight: 8,
    maxReplyBytes: 33_554_432,
    isUrgent: true,
  })
  return createStateReader(source)
}

const forms: Readonly<Record<string, string>> = {
  'no digits': '"0x"',
  'no hex': '"zz"',
  'a sign': '"-0x1"',
  'a fraction': '"1.5"',
  'no text': '""',
  'decimal digits': '"15"',
  'a space': '"0x1 "',
  '33 bytes': `"0x1${'0'.repeat(64)}"`,
  '24 MB of digits': `"0x${'1'.repeat(24_000_000)}"`,
  'a number': '15',
  true: 'true',
  'a list': '[]',
  'an object': '{}',
  'a word beside digits': '"0x1g"',
}

for (const [name, result] of Object.entries(forms))
  void test(`a balance that is ${name}: 503 at once, and other balances are served`, async () => {
    const reader = readerOver(result)
    for (let again = 0; again < 4; again++) {
      const begun = performance.now()
      await assert.rejects(reader.balance(bad, undefined, signal), (error) => {
        const code = faultOf(error)?.code
        return code === 'node-answer' && statusOf[code] === 503
      })
      assert.ok(performance.now() - begun < 4_000)
      assert.equal(await reader.balance(fine, undefined, signal), 10n ** 18n)
    }
  })

void test('code and calls that are no bytes are 503, too', async () => {
  for (const result of ['"0x1"', '"zz"', '""', '7', `"0x${'11'.repeat(5_000_000)}"`]) {
    const reader = readerOver(result)
    const isBad = { code: 'node-answer' }
    await assert.rejects(reader.code(bad, undefined, signal), isBad)
    await assert.rejects(reader.call(bad, fine, undefined, signal), isBad)
  }
})

void test('a balance or code that is refused as a contract refuses a call is 503, not a defect', async () => {
  const reader = readerOver(
    '{"code":3,"message":"execution reverted","data":"0x08c379a0"}',
    'error',
  )
  const isRefused = (error: unknown): boolean => {
    const code = faultOf(error)?.code
    return code === 'not-served' && statusOf[code] === 503
  }
  await assert.rejects(reader.balance(bad, undefined, signal), isRefused)
  await assert.rejects(reader.code(bad, undefined, signal), isRefused)
  assert.equal(await reader.call(bad, fine, undefined, signal), undefined)
})

void test('a balance with leading zeros is one', async () => {
  const reader = readerOver('"0x0de0b6b3a7640000"')
  assert.equal(await reader.balance(bad, undefined, signal), 10n ** 18n)
})
