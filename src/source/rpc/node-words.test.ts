import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { FaultCode } from '../../core/fault.ts'
import {
  contractFailure,
  faultOfError,
  faultOfWords,
  mayLackHeight,
  mayLackTraceState,
  meaningOfError,
  meaningOfWords,
  type NodeMeaning,
  refusesBatch,
} from './node-words.ts'

// Words of avalanchego, with what stands around them there.
const words: readonly (readonly [string, NodeMeaning, FaultCode, FaultCode])[] = [
  [
    'failed to fetch validator set at unfinalized height',
    'not-finalized',
    'node-answer',
    'bad-parameter',
  ],
  ['validator set height not yet finalized', 'not-finalized', 'node-answer', 'bad-parameter'],
  ["couldn't get block at height 9: not found", 'unknown', 'node-not-yet', 'not-found'],
  ['problem retrieving subnet "2Z": not found', 'unknown', 'node-not-yet', 'not-found'],
  ['problem retrieving blockchain "2Z": closed', 'no-such', 'node-answer', 'not-found'],
  ['the method does not exist', 'no-such', 'node-answer', 'not-found'],
  ['no containers have been accepted', 'empty', 'node-not-yet', 'node-not-yet'],
  ['start index (9) > last accepted index (8)', 'not-yet', 'node-not-yet', 'node-answer'],
  ['chain is not done bootstrapping', 'not-yet', 'node-not-yet', 'node-answer'],
  ['subnets not bootstrapped', 'not-yet', 'node-not-yet', 'node-answer'],
  ['chain is not linearized', 'not-yet', 'node-not-yet', 'node-answer'],
  [`rpc: can't find method "info.x"`, 'not-offered', 'node-refused', 'node-answer'],
  [
    'the method debug_x does not exist/is not available',
    'not-offered',
    'node-refused',
    'node-answer',
  ],
  ['"2Z" is not a subnet', 'no-subnet', 'node-answer', 'bad-parameter'],
  ['codec: unmarshal failed', 'other', 'node-answer', 'node-answer'],
]

void test("node words: each of AvalancheGo's has its meaning and its faults", () => {
  for (const [text, meaning, streamed, expected] of words) {
    assert.equal(meaningOfWords(text), meaning, text)
    assert.equal(faultOfWords('x', text, 'stream').code, streamed, text)
    assert.equal(faultOfWords('x', text, 'question').code, expected, text)
  }
})

const errors: readonly (readonly [number, string, NodeMeaning, FaultCode])[] = [
  [-32_005, '', 'throttled', 'node-throttled'],
  [429, '', 'throttled', 'node-throttled'],
  [-32_000, 'Too Many Requests', 'throttled', 'node-throttled'],
  [-32_000, 'rate limit reached', 'throttled', 'node-throttled'],
  [-32_601, 'the method debug_x does not exist/is not available', 'not-offered', 'node-refused'],
  [-32_003, 'response too large', 'too-large', 'node-too-large'],
  [-32_002, 'request timed out', 'out-of-time', 'node-unreachable'],
  [-32_000, 'state 0x01 is not available', 'other', 'node-answer'],
  [-32_602, 'invalid argument 0', 'other', 'node-answer'],
]

void test("node words: each code of an EVM chain's RPC has its meaning and its fault", () => {
  for (const [code, message, meaning, fault] of errors) {
    const error = { code, message }
    assert.equal(meaningOfError(error), meaning, `${code} ${message}`)
    assert.equal(faultOfError('x', error).code, fault, `${code} ${message}`)
  }
})

void test('node words: an error under -32000 may be of the height, of time, or of the contract', () => {
  const error = (message: string): { code: number; message: string } => ({ code: -32_000, message })
  assert.ok(mayLackHeight(error('header not found')))
  assert.ok(!mayLackHeight(error('rate limit')))
  assert.ok(!mayLackHeight({ code: -32_602, message: 'header not found' }))
  assert.ok(mayLackTraceState(error('required historical state unavailable (reexec=128)')))
  for (const late of ['execution timeout', 'context deadline exceeded', 'context canceled'])
    assert.ok(!mayLackTraceState(error(late)), late)
  assert.equal(contractFailure({ code: 3, message: '' }), 'reverted')
  for (const failed of ['execution reverted', 'out of gas', 'stack underflow (0 <=> 1)'])
    assert.ok(contractFailure(error(failed)), failed)
  assert.equal(contractFailure(error('missing trie node')), undefined)
  assert.equal(contractFailure({ code: -32_602, message: 'execution reverted' }), undefined)
})

void test('node words: a batch is refused for its size under one code', () => {
  assert.ok(refusesBatch({ code: -32_600, message: 'batch too large' }))
  assert.ok(refusesBatch({ code: -32_600, message: 'too many calls' }))
  assert.ok(!refusesBatch({ code: -32_600, message: 'empty' }))
  assert.ok(!refusesBatch({ code: -32_000, message: 'batch too large' }))
})
