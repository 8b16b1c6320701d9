import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { StateAnswer } from '../../../source/evm-source.ts'
import { factsOf } from './token-metadata.ts'
import { isTrue, tokenDecimals, tokenText } from './token-text.ts'

const word = (digits: string): string => digits.padStart(64, '0')
const value = (digits: string): StateAnswer => ({ kind: 'value', value: `0x${digits}` })
const reverted: StateAnswer = { kind: 'reverted' }

/** An ABI string of these bytes. */
function abi(hex: string, length = hex.length / 2): StateAnswer {
  const padded = hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')
  return value(word('20') + word(length.toString(16)) + padded)
}

const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('hex')

void test('token text: strings and bytes32 are read, everything else is absent', () => {
  const cases: [StateAnswer | undefined, string | undefined][] = [
    [abi(utf8('USD Coin')), 'USD Coin'],
    [abi(utf8('日本円')), '日本円'],
    [abi(''), undefined],
    [value(utf8('MKR').padEnd(64, '0')), 'MKR'],
    [value(''.padEnd(64, '0')), undefined],
    [abi(utf8('  spaced ')), 'spaced'],
    [abi(utf8('a\u0000b\nc\u200b\u202ed')), 'abcd'],
    [abi('ff41'), '\ufffdA'],
    [abi(utf8('x'.repeat(400))), 'x'.repeat(255)],
    [abi(utf8('😀'.repeat(200))), '😀'.repeat(127)],
    [abi(utf8('👩‍👩‍👧 coin')), '👩‍👩‍👧 coin'],
    [abi(utf8('👩‍👩‍👧'.repeat(40))), '👩‍👩‍👧'.repeat(31)],
    [abi(utf8('می‌خواهم')), 'می‌خواهم'],
    [abi(utf8('क्‍ष')), 'क्‍ष'],
    [abi(utf8('U‍S‌D\u200dC 1\u200d2\u200d')), 'USDC 12'],
    [abi(utf8('x'.repeat(20_000))), 'x'.repeat(255)],
    [abi(utf8('short'), 500), undefined],
    [value(word('ffffff') + word('1')), undefined],
    [value('f'.repeat(128)), undefined],
    [value('12'), undefined],
    [value(''), undefined],
    [reverted, undefined],
    [{ kind: 'not-served', reason: '' }, undefined],
    [undefined, undefined],
  ]
  for (const [answer, expected] of cases)
    assert.equal(tokenText(answer), expected, JSON.stringify(answer)?.slice(0, 200))
})

void test('token decimals: 0 to 255, else absent', () => {
  assert.equal(tokenDecimals(value(word('0'))), 0)
  assert.equal(tokenDecimals(value(word('ff'))), 255)
  assert.equal(tokenDecimals(value(word('100'))), undefined)
  assert.equal(tokenDecimals(value('')), undefined)
  assert.equal(tokenDecimals(reverted), undefined)
  assert.equal(isTrue(value(word('1'))), true)
  assert.equal(isTrue(value(word('2'))), false)
})

void test('token standard: declared interfaces count only when introspection is honest', () => {
  const yes = value(word('1'))
  const no = value(word('0'))
  const standard = (introspection: StateAnswer[], logs: number): number =>
    factsOf([reverted, reverted, reverted, ...introspection], logs).standard
  assert.equal(standard([yes, no, yes, no], 20), 721)
  assert.equal(standard([yes, no, no, yes], 20), 1155)
  assert.equal(standard([yes, no, no, no], 20), 20)
  assert.equal(standard([yes, yes, yes, yes], 20), 20)
  assert.equal(standard([no, no, yes, no], 20), 20)
  assert.equal(standard([reverted, reverted, reverted, reverted], 721), 721)
  assert.equal(standard([yes, no, yes, no], 1155), 1155)
})
