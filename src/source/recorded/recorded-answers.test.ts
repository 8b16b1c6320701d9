import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import { callAll, callOne, BatchSize, type RpcTarget } from '../rpc/json-rpc.ts'
import { type AnsweredCall, answeringTransport, recordedAnswers } from './recorded-answers.ts'
import { openingBytes, partBytes, partKinds } from './recording-file.ts'

const { signal } = new AbortController()
const answers: readonly AnsweredCall[] = [
  { method: 'eth_blockNumber', params: [], result: '0x7' },
  { method: 'eth_getCode', params: ['0xab', '0x7'], result: null },
  { method: 'debug_traceBlockByNumber', params: ['0x1'], error: { code: -32601, message: 'no' } },
]

function recordingOf(lines: readonly unknown[]): Uint8Array {
  const header = { chainId: 1, name: 'One', symbol: 'ONE', nodeVersion: 'test' }
  const kind = partKinds.answers
  const part = partBytes(
    { kind, from: 0, until: 0 },
    lines.map((line) => JSON.stringify(line)),
    3,
  )
  return Buffer.concat([openingBytes(header, 3), part])
}

function target(): RpcTarget {
  const transport = answeringTransport(recordedAnswers(recordingOf(answers)))
  return { transport, url: 'http://recording.invalid', timeoutMs: 1_000, maxReplyBytes: 1_000 }
}

void test('recorded answers: each call gets what the node said, alone and in a batch', async () => {
  const [first, second, third] = answers
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  assert.deepEqual(await callOne(target(), first, signal), { kind: 'result', result: '0x7' })
  assert.deepEqual(await callAll(target(), [third, second, first], new BatchSize(10), signal), [
    { kind: 'error', error: { code: -32601, message: 'no' } },
    { kind: 'result', result: null },
    { kind: 'result', result: '0x7' },
  ])
})

void test('recorded answers: what was not recorded is refused, also by one parameter', async () => {
  for (const call of [
    { method: 'eth_chainId', params: [] },
    { method: 'eth_getCode', params: ['0xab', '0x8'] },
  ])
    await assert.rejects(
      callOne(target(), call, signal),
      (error) => error instanceof Fault && error.code === 'node-refused',
      call.method,
    )
})

void test('recorded answers: a recording without them has none, and another form is a fault', () => {
  const header = { chainId: 1, name: 'One', symbol: 'ONE', nodeVersion: 'test' }
  assert.deepEqual(recordedAnswers(openingBytes(header, 3)), [])
  for (const line of [1, [], { method: 'a' }, { params: [] }])
    assert.throws(() => recordedAnswers(recordingOf([line])), Fault)
})
