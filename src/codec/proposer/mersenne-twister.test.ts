import assert from 'node:assert/strict'
import { test } from 'node:test'

import { mersenne32, mersenne64, numbers32 } from './mersenne-twister.ts'

/** The word after `skipped` others. */
function nth<T>(next: () => T, skipped: number): T {
  for (let at = 0; at < skipped; at++) next()
  return next()
}

// Source: ISO C++, [rand.predef] names the 10,000th number of both with the seed 5489; the first ones are those of
// mt19937ar.c and mt19937-64.c.
void test('Mersenne twisters: the first and the 10,000th words that are published', () => {
  assert.equal(nth(numbers32(5489), 0), 3_499_211_612)
  assert.equal(nth(numbers32(5489), 9_999), 4_123_659_995)
  assert.equal(nth(mersenne64(5489n), 0), 14_514_284_786_278_117_030n)
  assert.equal(nth(mersenne64(5489n), 9_999), 9_981_545_732_273_789_042n)
})

void test('mersenne32: a word is two numbers, the higher half first', () => {
  const numbers = numbers32(5489)
  const words = mersenne32(5489)
  for (let at = 0; at < 700; at++)
    assert.equal(words(), (BigInt(numbers()) << 32n) | BigInt(numbers()), `word ${at}`)
})
