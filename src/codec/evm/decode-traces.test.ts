import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { keccak256 } from '../../core/hash.ts'
import { noAddress } from './columns/column-kinds.ts'
import { frameKinds, type FrameColumns } from './columns/columns.ts'
import { create3Proxy, decodeTraces } from './decode-traces.ts'

const a = `0x${'aa'.repeat(20)}`
const b = `0x${'bb'.repeat(20)}`
const c = `0x${'cc'.repeat(20)}`

void test('traces: the CREATE3 proxy has the hash its libraries publish', () => {
  assert.equal(
    toHex(keccak256(Buffer.from(create3Proxy.slice(2), 'hex'))),
    '21c35dbe1b344a2488cf3321d6ce542f8e9f305544ff09e4993a62319a497c1f',
  )
})

void test('traces: only value calls below the root and creations are kept', () => {
  const frames = decoded(
    call({
      value: '0x5',
      calls: [
        call({ value: '0x0' }),
        call({ value: '0x1' }),
        call({ type: 'DELEGATECALL' }),
        call({ type: 'STATICCALL' }),
        call({ type: 'CALLCODE', value: '0x2' }),
        call({ type: 'SELFDESTRUCT', value: '0x3' }),
        call({ type: 'CREATE', value: '0x0' }),
      ],
    }),
  )
  assert.deepEqual([...frames.kind], [frameKinds.call, frameKinds.callcode, frameKinds.create])
  assert.deepEqual([...frames.position], [2, 5, 7])
})

void test('traces: what a failed frame called is reverted with it, its neighbours are not', () => {
  const paid = call({ value: '0x1' })
  const frames = decoded(
    call({
      calls: [
        call({ value: '0x1', error: 'execution reverted', calls: [call({ calls: [paid] })] }),
        paid,
      ],
    }),
  )
  assert.deepEqual([...frames.position], [1, 3, 4])
  assert.deepEqual([...frames.reverted], [1, 1, 0])
  assert.deepEqual([...decoded(call({ error: 'x', calls: [paid] })).reverted], [1])
})

void test('traces: a creation from a CREATE3 proxy is CREATE3, from elsewhere it is not', () => {
  const proxy = call({ type: 'CREATE2', to: c, input: create3Proxy })
  const deploy = call({ calls: [call({ type: 'CREATE', from: c, to: b })] })
  assert.deepEqual(
    [...decoded(call({ calls: [proxy, deploy] })).kind],
    [frameKinds.create2, frameKinds.create3],
  )
  assert.deepEqual(
    [...decoded(call({ calls: [deploy, proxy] })).kind],
    [frameKinds.create, frameKinds.create2],
  )
})

void test('traces: a creation at the root is kept at position 0, a failed one has no target', () => {
  const frames = decoded(call({ type: 'CREATE', to: undefined, error: 'out of gas' }))
  assert.deepEqual([...frames.position], [0])
  assert.deepEqual([...frames.to], [noAddress])
})

void test('traces: gas beyond what a double holds keeps its digits', () => {
  const frames = decoded(call({ type: 'CREATE', gas: '0xffffffffffffffff' }))
  assert.equal(frames.gasLimit.length[0], 8)
})

void test('traces: very deep trees do not exhaust the stack', () => {
  let deep = call({ value: '0x1' })
  for (let depth = 0; depth < 20_000; depth++) deep = call({ value: '0x1', calls: [deep] })
  assert.equal(decoded(deep).count, 20_000)
})

void test('traces: an error in place of a trace is requested again, nonsense is a bad answer', () => {
  throws([[{ txHash: '0x1', error: 'execution timeout' }]], 'node-not-yet')
  throws([null], 'node-answer')
  throws([[null]], 'node-answer')
  throws([[{ result: call({ calls: [5] }) }]], 'node-answer')
  throws([[{ result: call({ calls: [call({ value: '0x1', to: undefined })] }) }]], 'node-answer')
})

function call(fields: Record<string, unknown>): Record<string, unknown> {
  return { type: 'CALL', from: a, to: b, gas: '0x10', gasUsed: '0x1', input: '0x', ...fields }
}

function decoded(frame: Record<string, unknown>): FrameColumns {
  return decodeTraces(1, [[{ txHash: '0x1', result: frame }]]).frames
}

function throws(blocks: readonly unknown[], code: string): void {
  assert.throws(
    () => decodeTraces(1, blocks),
    (error) => error instanceof Fault && error.code === code,
    JSON.stringify(blocks),
  )
}
