import assert from 'node:assert/strict'
import { test } from 'node:test'

import { parseAbiItem, toFunctionSignature } from 'viem'

import { entryOfText } from './abi-encode.ts'
import { readAbi } from './abi.ts'

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
