import assert from 'node:assert/strict'
import { test } from 'node:test'

import { canFit, fits, patternUrl } from './open.ts'

void test('store patterns: a star is any part of a name', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['fuji-c-chain', 'fuji-c-chain', true],
    ['fuji-c-chain', 'fuji-c', false],
    ['fuji-c-chain', 'fuji-*', true],
    ['fuji-c-chain', '*', true],
    ['fuji-c-chain', '*-chain', true],
    ['fuji-c-chain', 'fuji-*-chain', true],
    ['fuji-chain', 'fuji-*-chain', false],
    ['fuji-a-b-a-c', 'fuji-*a*-c', true],
    ['fuji-ab', 'fuji-*b*b', false],
    ['mainnet-c-chain', 'fuji-*', false],
  ]
  for (const [name, pattern, expected] of cases)
    assert.equal(fits(name, pattern), expected, `${name} ${pattern}`)
})

void test('store patterns: the first that fits counts, for chains and for what is rebuilt of them', () => {
  const patterns = [
    { pattern: 'fuji-c-chain', url: 'one' },
    { pattern: 'fuji-*', url: 'two' },
    { pattern: '*', url: 'three' },
  ]
  const url = (name: string): string | undefined => patternUrl(patterns, name)
  assert.equal(url('fuji-c-chain'), 'one')
  assert.equal(url('fuji-c-chain-logs'), 'one')
  assert.equal(url('fuji-dfk'), 'two')
  assert.equal(url('primary-fuji'), 'three')
  assert.equal(url('rebuilt-primary-fuji'), 'three')
  for (const name of ['messages', 'deployment', 'webhooks', 'api-use', 'migration'])
    assert.equal(url(name), undefined, name)
})

void test('store patterns: one that no chain can fit is recognised', () => {
  for (const pattern of [
    '*',
    'f*',
    'fuji-*',
    'fuji-c-chain',
    'primary-mainnet',
    'mainnet-*-l1',
    '*-l1',
  ])
    assert.equal(canFit(pattern), true, pattern)
  for (const pattern of ['messages', 'mainet-*', 'c-chain', 'fuji', ''])
    assert.equal(canFit(pattern), false, pattern)
})
