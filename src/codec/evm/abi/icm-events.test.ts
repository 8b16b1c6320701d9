import assert from 'node:assert/strict'
import { test } from 'node:test'

import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { toBytes } from 'viem/utils'

import { Fault } from '../../../core/fault.ts'
import { decodeSend } from './icm-events.ts'

const form = parseAbiParameters([
  'Message message, Fee fee',
  'struct Receipt { uint256 nonce; address relayer; }',
  'struct Message { uint256 nonce; address sender; bytes32 chain; address to; uint256 gas; address[] relayers; Receipt[] receipts; bytes data; }',
  'struct Fee { address token; uint256 amount; }',
])
const one = '0x52908400098527886E0F7030069857D2E4169EE7'
const other = '0xde709f2102306220921060314715629080e2fb77'

function sent(): Uint8Array {
  return toBytes(
    encodeAbiParameters(form, [
      {
        nonce: 7n,
        sender: one,
        chain: `0x${'ab'.repeat(32)}`,
        to: other,
        gas: 21_000n,
        relayers: [one],
        receipts: [{ nonce: 2n ** 200n, relayer: other }],
        data: '0x010203',
      },
      { token: one, amount: 5n },
    ]),
  )
}

const isRefused = (error: unknown): boolean => error instanceof Fault && error.code === 'bad-bytes'

void test('interchain messages: values are those that another library wrote', () => {
  const { message, fee } = decodeSend(sent())
  assert.deepEqual(Buffer.from(message.sender), Buffer.from(toBytes(one)))
  assert.deepEqual(Buffer.from(message.destination), Buffer.from(toBytes(other)))
  assert.deepEqual([...message.data], [1, 2, 3])
  assert.deepEqual(
    message.receipts.map(({ nonce, relayer }) => [nonce[6], Buffer.from(relayer)]),
    [[1, Buffer.from(toBytes(other))]],
  )
  assert.deepEqual([fee.amount[31], Buffer.from(fee.token)], [5, Buffer.from(toBytes(one))])
})

void test('interchain messages: a log that ends early or names more than it holds is refused', () => {
  const whole = sent()
  for (let size = 0; size < whole.length - 31; size += 32)
    assert.throws(() => decodeSend(whole.subarray(0, size)), isRefused, `${size} bytes`)
  // The offset of the message: one beyond the log, and one whose low 32 bits would be right.
  for (const [byte, value] of [
    [30, 255],
    [27, 1],
    [0, 1],
  ] as const) {
    const wrong = sent()
    wrong[byte] = value
    assert.throws(() => decodeSend(wrong), isRefused, `byte ${byte}`)
  }
})
