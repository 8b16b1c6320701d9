import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  type Abi,
  encodeEventTopics,
  encodeFunctionData,
  parseAbiItem,
  toFunctionSignature,
} from 'viem'

import { to0x } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { encodeInput, entryOfText, topicOf } from './abi-encode.ts'
import { readAbi } from './abi.ts'

const one = '0x00000000000000000000000000000000000000aa'
const two = '0x5fbdb2315678afecb367f032d93f642f64180aa3'

// The bytes are those of viem.
const calls: readonly (readonly [signature: string, given: unknown[], viem?: unknown[]])[] = [
  ['f()', []],
  ['f(address a, uint256 b)', [one, '340282366920938463463374607431768211456'], [one, 2n ** 128n]],
  ['f(int8 a, int256 b, bool c)', ['-128', -1, 'true'], [-128, -1n, true]],
  [
    'f(uint8 a, bytes4 b, bytes c, string d)',
    ['0xff', '0x01020304', '0x', 'žluť'],
    [255, '0x01020304', '0x', 'žluť'],
  ],
  ['f(bytes a, bytes32 b)', [`0x${'ab'.repeat(33)}`, `0x${'cd'.repeat(32)}`]],
  [
    'f(uint256[] a, address[2] b, string[] c)',
    [
      ['1', 2],
      [one, two],
      ['', 'x'.repeat(40)],
    ],
    [
      [1n, 2n],
      [one, two],
      ['', 'x'.repeat(40)],
    ],
  ],
  [
    'f((uint256 x, string y)[] a, (address z, bool w) b)',
    [
      [{ x: 1, y: 'one' }, ['2', 'two']],
      [two, false],
    ],
    [
      [
        { x: 1n, y: 'one' },
        { x: 2n, y: 'two' },
      ],
      { z: two, w: false },
    ],
  ],
  ['f(uint8[2][] a, uint8[][2] b)', [[[1, 2]], [[3], []]]],
]

void test('encodeInput: the bytes of viem for every type', () => {
  for (const [signature, given, values = given] of calls) {
    const item = parseAbiItem(`function ${signature}`) as never
    const [entry] = readAbi([item])
    assert.ok(entry !== undefined)
    const expected = encodeFunctionData({ abi: [item], functionName: 'f', args: values } as never)
    assert.equal(encodeInput(entry, given), expected, signature)
  }
})

void test('encodeInput: says what argument does not fit', () => {
  const wrong: readonly (readonly [string, unknown[], RegExp])[] = [
    ['f(uint8 age)', ['256'], /^age is no uint8: "256"$/],
    ['f(uint8 age)', ['-1'], /^age is no uint8/],
    ['f(uint256 a)', [1.5], /^a is no uint256: 1.5$/],
    ['f(uint256 a)', [2 ** 60], /^a is no uint256/],
    ['f(address to)', ['0x12'], /^to is no address/],
    ['f(bool)', ['yes'], /^an argument is no bool: "yes"$/],
    ['f(bytes4 id)', ['0x0102'], /^id is no bytes4/],
    ['f(bytes data)', ['0x123'], /^data is no bytes/],
    ['f(uint8[2] pair)', [[1]], /^pair is no uint8\[2\]/],
    ['f(uint8[] all)', [[1, 'x']], /^all\[1\] is no uint8: "x"$/],
    ['f((uint8 x) p)', ['1'], /^p is no \(uint8\)/],
    ['f(uint8 a)', [], /^1 arguments are due: 0$/],
  ]
  for (const [signature, given, message] of wrong) {
    const [entry] = readAbi([parseAbiItem(`function ${signature}`)])
    assert.ok(entry !== undefined)
    assert.throws(
      () => encodeInput(entry, given),
      (error) =>
        error instanceof Fault && error.code === 'bad-parameter' && message.test(error.message),
      signature,
    )
  }
})

void test('entryOfText: what viem reads of the same text', () => {
  const texts = [
    'stop()',
    'transfer(address to, uint256 value)',
    'aggregate3((address target, bool allowFailure, bytes callData)[] calls)',
    'nest((uint8[2] a, (bool b, string c)[] d) e, bytes32[][3] f)',
    'plain(address,(uint256,bytes)[],bool)',
  ]
  for (const text of texts) {
    const item = parseAbiItem(`function ${text}`)
    assert.ok(item.type === 'function')
    const entry = entryOfText('function', text)
    assert.equal(JSON.stringify(entry), JSON.stringify(readAbi([item])[0]), text)
    assert.equal(entry?.signature, toFunctionSignature(item))
  }
  const event = 'Transfer(address indexed from, address indexed to, uint256 value)'
  const [read] = readAbi([parseAbiItem(`event ${event}`)])
  assert.equal(JSON.stringify(entryOfText('event', event)), JSON.stringify(read))
})

void test('entryOfText: other texts are nothing', () => {
  for (const text of ['', 'transfer', 'a(b', 'a(strange)', 'a(uint256 b c d)', 'a((uint8)', 'a(,)'])
    assert.equal(entryOfText('function', text), undefined, text)
})

void test('topicOf: the topics of viem for every type that has one', () => {
  const text = 'E(address indexed a, int64 indexed b, string indexed c, bytes32 d, bool e)'
  const other = 'F(bytes indexed a, bool indexed b, uint256 indexed c)'
  const given: readonly (readonly [string, readonly (string | bigint | boolean)[]])[] = [
    [text, ['0x89d24A6b4CcB1B6fAA2625fE562bDD9a23260359', -5n, 'grüße']],
    [other, ['0x00ff', true, 2n ** 255n]],
  ]
  for (const [event, values] of given) {
    const item: Abi[number] = parseAbiItem(`event ${event}`)
    const theirs = encodeEventTopics({ abi: [item], args: values }).slice(1)
    const own = entryOfText('event', event)?.parameters.filter(({ indexed }) => indexed) ?? []
    assert.deepEqual(
      own.map((parameter, at) => to0x(topicOf(parameter, String(values[at])))),
      theirs,
    )
  }
  const [list] = entryOfText('event', 'G(uint256[] indexed a)')?.parameters ?? []
  assert.ok(list !== undefined)
  assert.throws(() => topicOf(list, '1'), { code: 'bad-parameter', message: /hash alone/ })
})
