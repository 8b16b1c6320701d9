import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { toHex } from '../../../core/bytes.ts'
import { keccak256 } from '../../../core/hash.ts'
import { parseSignatures } from './selectors.ts'

const text = readFileSync(new URL('../../../../data/selectors.txt', import.meta.url), 'utf8')

void test('selectors: comments, dumps with selectors and other words are understood', () => {
  assert.deepEqual(parseSignatures('# a(b)\ntransfer(address,uint256) burn(uint256) # note()\n'), [
    'transfer(address,uint256)',
    'burn(uint256)',
  ])
  assert.deepEqual(parseSignatures('0xa9059cbb\ttransfer(address,uint256)\n0x70a08231 ;x\n'), [
    'transfer(address,uint256)',
  ])
  assert.deepEqual(parseSignatures('swap((address,uint256)[],bytes32[2])'), [
    'swap((address,uint256)[],bytes32[2])',
  ])
  assert.deepEqual(parseSignatures('<script>(x) a (b) f(a b) ()'), [])
  assert.deepEqual(parseSignatures(`f(${'uint256,'.repeat(400)}bool)`), [])
})

void test('selectors: the bundled file holds canonical signatures, each selector once', () => {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const signatures = parseSignatures(text)
  assert.deepEqual(signatures, lines)
  assert.ok(signatures.length >= 600)
  const seen = new Map<string, string>()
  for (const signature of signatures) {
    const selector = selectorOf(signature)
    assert.equal(seen.get(selector), undefined, `${signature} shares ${selector}`)
    seen.set(selector, signature)
    const types = signature.slice(signature.indexOf('(')).match(/[a-z]+\d*/g) ?? []
    for (const type of types)
      assert.match(type, /^(address|bool|string|bytes\d*|u?int\d+)$/, signature)
  }
})

void test('selectors: known ones are as their standards print them', () => {
  const signatures = new Set(parseSignatures(text))
  // Sources: ERC-721, ERC-1155 and ERC-3156 texts, AggregatorV3Interface and Uniswap pool ABIs.
  for (const [signature, selector] of [
    ['onERC721Received(address,address,uint256,bytes)', '150b7a02'],
    ['onERC1155Received(address,address,uint256,uint256,bytes)', 'f23a6e61'],
    ['onERC1155BatchReceived(address,address,uint256[],uint256[],bytes)', 'bc197c81'],
    ['onFlashLoan(address,address,uint256,uint256,bytes)', '23e30c8b'],
    ['latestRoundData()', 'feaf968c'],
    ['token0()', '0dfe1681'],
    ['slot0()', '3850c7bd'],
  ] as const) {
    assert.ok(signatures.has(signature), signature)
    assert.equal(selectorOf(signature), selector)
  }
})

function selectorOf(signature: string): string {
  return toHex(keccak256(new TextEncoder().encode(signature)).subarray(0, 4))
}
