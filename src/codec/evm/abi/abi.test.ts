import assert from 'node:assert/strict'
import { test } from 'node:test'

import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, parseAbi, toHex } from 'viem'
import { toBytes } from 'viem/utils'

import { Fault } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import { eventValues, inputValues, readAbi } from './abi.ts'

const abi = parseAbi([
  'struct Leg { address to; uint96[] amounts; string note }',
  'event Moved(address indexed from, string indexed tag, int128 change, Leg[] legs, bytes4 kind)',
  'event Plain(bool yes, uint8[2] pair)',
  'function move((address to, uint96[] amounts, string note) leg, bytes data, uint256[][2] grid)',
])
const one = '0x52908400098527886E0F7030069857D2E4169EE7'
const other = '0xde709f2102306220921060314715629080e2fb77'
const legs = [
  { to: one, amounts: [1n, 2n ** 95n], note: 'first ✓' },
  { to: other, amounts: [], note: '' },
] as const

const entries = readAbi(abi)
const entry = (name: string): (typeof entries)[number] => {
  const found = entries.find((each) => each.name === name)
  assert.ok(found)
  return found
}

void test('ABI: values of an event are those that another library wrote', () => {
  const topics = encodeEventTopics({
    abi,
    eventName: 'Moved',
    args: { from: one, tag: 'a tag' },
  }).map((topic) => toBytes(String(topic)))
  const plain = itemAt(abi, 0)
  assert.equal(plain.name, 'Moved')
  const data = toBytes(
    encodeAbiParameters(
      (plain.inputs ?? []).filter((input) => !('indexed' in input)),
      [-5n, legs, '0x01020304'],
    ),
  )
  const moved = entry('Moved')
  assert.deepEqual(Buffer.from(moved.hash), Buffer.from(itemAt(topics, 0)))
  assert.deepEqual(eventValues(moved, topics, data), [
    one,
    toHex(itemAt(topics, 2)),
    '-5',
    [
      { to: one, amounts: ['1', String(2n ** 95n)], note: 'first ✓' },
      { to: '0xde709f2102306220921060314715629080e2fb77', amounts: [], note: '' },
    ],
    '0x01020304',
  ])
  for (let size = 0; size < data.length - 31; size += 16)
    assert.equal(eventValues(moved, topics, data.subarray(0, size)), undefined, `${size} bytes`)
  assert.equal(eventValues(moved, topics.slice(0, 2), data), undefined)
})

void test('ABI: values of an input are those that another library wrote', () => {
  const args = [legs[0], '0xbeef', [[1n], []]] as const
  const input = toBytes(encodeFunctionData({ abi, functionName: 'move', args }))
  const move = entry('move')
  assert.deepEqual(Buffer.from(move.hash.subarray(0, 4)), Buffer.from(input.subarray(0, 4)))
  assert.deepEqual(inputValues(move, input.subarray(4)), [
    { to: one, amounts: ['1', String(2n ** 95n)], note: 'first ✓' },
    '0xbeef',
    [['1'], []],
  ])
})

void test('ABI: a list that says it is endless, or nests without end, is no value', () => {
  const plain = entry('Plain')
  const data = toBytes(
    encodeAbiParameters(
      plain.parameters.map(({ type }) => ({ type })),
      [true, [7, 8]],
    ),
  )
  assert.deepEqual(eventValues(plain, [plain.hash], data), [true, ['7', '8']])
  const [nested] = readAbi([
    { type: 'function', name: 'f', inputs: [{ type: 'uint8[][][][][][]' }] },
  ])
  assert.ok(nested)
  // 32 lists in each of 32 lists, six deep: a billion values out of 2 KiB.
  const loop = new Uint8Array(32 * 64)
  for (let word = 0; word < 64; word++) loop[word * 32 + 31] = 32
  assert.equal(inputValues(nested, loop), undefined)
})

void test('ABI: metadata files and compiler output are read, other JSON is refused', () => {
  assert.equal(readAbi({ abi }).length, 3)
  assert.equal(readAbi({ output: { abi } }).length, 3)
  const types = ['word', 'uint999', 'uint08', 'int7', 'bytes0', 'bytes33', 'address20', 'tuple2']
  const long = [`uint${'9'.repeat(20)}`, `uint256${'[1]'.repeat(3_000)}`, 'uint'.repeat(9_999)]
  const wrong = [...types, ...long].map((type) => [
    { type: 'event', name: 'x', inputs: [{ type }] },
  ])
  for (const bad of [null, {}, [1], ...wrong])
    assert.throws(
      () => readAbi(bad),
      (error) => error instanceof Fault && error.code === 'bad-text',
    )
})
