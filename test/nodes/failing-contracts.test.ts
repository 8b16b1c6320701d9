/**
 * Contracts that fail otherwise than by revert, behind nodes that word it in their own ways: what fails while
 * the node answers others is the contract's, and nobody else waits for it.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault, faultOf } from '../../src/core/fault.ts'
import type { HttpReply, HttpRequest } from '../../src/core/world.ts'
import type { EvmSource, StateCall } from '../../src/source/evm-source.ts'
import { openNodeSource } from '../../src/source/evm/node-source.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { callsOf, type NodeCall, replyText } from '../support/nodes/json-rpc-reply.ts'
import { virtualClock } from '../support/processes/virtual-clock.ts'
import { fileWorld } from '../support/services/primary-service.ts'

const { signal } = new AbortController()
const hostile = `0x${'66'.repeat(20)}`
const honest = `0x${'11'.repeat(20)}`
const word = `0x${'07'.padStart(64, '0')}`
/** The precompile that gives back what it is given. Source: Yellow Paper, appendix E. */
const identity = `0x${'4'.padStart(40, '0')}`

type Body = { readonly calls: readonly NodeCall[]; readonly isBatch: boolean }

/** A node whose every answer to a request with a call of `hostile` is what `fails` makes of it. */
function sourceOver(fails: (body: Body, call: NodeCall) => object | 'hang' | number): EvmSource {
  const clock = virtualClock()
  const valueOf = ({ method, params: [first] }: NodeCall): unknown => {
    if (method === 'eth_chainId') return '0x1'
    if (method === 'eth_getBlockByNumber') return { hash: `0x${'ab'.repeat(32)}` }
    if (method === 'web3_clientVersion') return 'v'
    const { to, data } = (first ?? {}) as { to?: string; data?: string }
    return to === identity ? data : word
  }
  const isHostile = ({ params }: NodeCall): boolean => JSON.stringify(params).includes(hostile)
  const request = async (sent: HttpRequest): Promise<HttpReply> => {
    const body = callsOf(sent.body)
    const replies = []
    for (const call of body.calls) {
      const error = body.calls.some(isHostile) ? fails(body, call) : undefined
      if (error === 'hang') {
        await clock.sleep(sent.timeoutMs, sent.signal)
        throw new Fault('node-unreachable', 'a node does not answer: timeout')
      }
      if (typeof error === 'number')
        return { status: error, headers: {}, body: new TextEncoder().encode('<html>') }
      const isFine = error === undefined || (!isHostile(call) && !('rest' in error))
      const outcome = isFine ? { result: valueOf(call) } : { error }
      replies.push({ jsonrpc: '2.0', id: call.id, ...outcome })
    }
    const text = JSON.stringify(body.isBatch ? replies : replies[0])
    return { status: 200, headers: {}, body: new TextEncoder().encode(text) }
  }
  return openNodeSource({
    world: { ...fileWorld, clock, transport: { request } },
    log: silentLog,
    urls: ['http://node'],
    expected: {},
    timeoutMs: 1_000,
    traceTimeoutMs: 1_000,
    maxInFlight: 8,
    maxReplyBytes: 33_554_432,
  })
}

const nameCall = (to: string): StateCall => ({
  method: 'eth_call',
  target: { to, data: '0x06fdde03' },
})

/** Errors as nodes give them, and what each is called. */
const worded: readonly (readonly [string, object, string])[] = [
  ['anvil', { code: -32603, message: 'EVM error OutOfGas' }, 'out of gas'],
  ['anvil', { code: -32603, message: 'EVM error InvalidFEOpcode' }, 'invalid opcode'],
  ['Nethermind', { code: -32015, message: 'VM execution error.', data: 'Reverted 0x' }, 'reverted'],
  [
    'Hardhat',
    {
      code: -32603,
      message: "Error: VM Exception while processing transaction: reverted with reason string 'x'",
      data: { message: 'reverted', data: '0x' },
    },
    'reverted',
  ],
  ['Ganache', { code: -32000, message: 'VM Exception while processing: revert' }, 'reverted'],
  ['Besu', { code: -32000, message: 'Execution reverted' }, 'reverted'],
  ['AvalancheGo', { code: -32000, message: 'invalid opcode: INVALID' }, 'invalid opcode'],
  ['AvalancheGo', { code: -32000, message: 'out of gas' }, 'out of gas'],
  ['AvalancheGo', { code: -32000, message: 'stack underflow (0 <=> 1)' }, 'stack underflow'],
  ['AvalancheGo', { code: -32000, message: 'invalid jump destination' }, 'invalid jump'],
  [
    'a node',
    { code: -32000, message: 'execution aborted (timeout = 5s)' },
    'execution aborted (timeout = 5s)',
  ],
  ['a node of words nobody knows', { code: -32050, message: 'nope' }, 'nope'],
  [
    'a precompile of subnet-evm',
    { code: -32000, message: 'cannot modify allow list: modify address: 0xB2' },
    'cannot modify allow list: modify address: 0xB2',
  ],
  ['a node without words', { code: -32603, message: '' }, 'no answer'],
]

for (const [node, error, reason] of worded)
  void test(`a failing call is the contract's: ${node}, ${JSON.stringify(error)}`, async () => {
    const source = sourceOver(() => error)
    const answers = await source.state([honest, hostile, honest].map(nameCall), 'latest', signal)
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      ['value', 'reverted', 'value'],
    )
    const [alone] = await source.state([nameCall(hostile)], 'latest', signal)
    assert.deepEqual(
      [alone?.kind, alone?.kind === 'reverted' && alone.reason],
      ['reverted', reason],
    )
  })

/** Failures of whole requests for one call in them. */
const whole: readonly (readonly [string, Parameters<typeof sourceOver>[0]])[] = [
  ['the node hangs', () => 'hang'],
  ['a proxy gives up', () => 504],
  [
    'the time of the batch is over',
    () => ({ code: -32002, message: 'request timed out', rest: 1 }),
  ],
]

for (const [name, fails] of whole)
  void test(`a request that one call spoils is split until that call is alone: ${name}`, async () => {
    const source = sourceOver(fails)
    const all = Array.from({ length: 9 }, (_, at) => (at === 4 ? hostile : honest))
    const answers = await source.state(all.map(nameCall), 'latest', signal)
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      all.map((to) => (to === hostile ? 'reverted' : 'value')),
    )
  })

void test('a node that fails every call: no contract is blamed for it', async () => {
  const clock = virtualClock()
  const broken = (error: object | number): EvmSource =>
    openNodeSource({
      world: {
        ...fileWorld,
        clock,
        transport: {
          request: async ({ body }) => {
            const answer = ({ method }: NodeCall): object => {
              if (method === 'eth_chainId') return { result: '0x1' }
              if (method === 'eth_getBlockByNumber')
                return { result: { hash: `0x${'ab'.repeat(32)}` } }
              return { error }
            }
            const isCall = String(body).includes(honest) || String(body).includes(identity)
            const status = typeof error === 'number' && isCall ? error : 200
            const text = status === 200 ? await replyText(body, answer) : ''
            return { status, headers: {}, body: new TextEncoder().encode(text) }
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
    })
  for (const error of [{ code: -32603, message: 'database is closed' }, 502])
    await assert.rejects(
      broken(error).state([honest, honest].map(nameCall), 'latest', signal),
      (fault) => faultOf(fault)?.code.startsWith('node-') === true,
    )
  const gone = broken({ code: -32000, message: 'missing trie node' })
  const answers = await gone.state([honest, honest].map(nameCall), 5, signal)
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ['not-served', 'not-served'],
  )
})
