import assert from 'node:assert/strict'
import { test } from 'node:test'

import { confirmedShare, copiedHistory, type CopiedHistory, cutCopied } from './copied-history.ts'
import type { Reader } from './engine/database.ts'

const check = {
  percent: 100,
  seed: 'ab',
  next: { blocks: 30, traces: 20 },
  compared: 20,
  isDone: false,
}
const whole: CopiedHistory = {
  from: 10,
  until: 110,
  confirmed: 40,
  check,
  without: undefined,
  refused: undefined,
}

/** A store whose row of `meta` is `text`. */
function storeWith(text: string): Reader {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the row of `meta`
  const get = (() => [text]) as unknown as Reader['get']
  return { all: () => [], get, lookup: () => [] }
}

void test('a copied history comes back as it was written', async () => {
  for (const each of [whole, { ...whole, refused: 'x', without: 'y' }])
    assert.deepEqual(await copiedHistory(storeWith(JSON.stringify(each))), each)
  const odd = [
    { ...whole, check: { ...check, next: 30 } },
    { ...whole, from: -1 },
    { ...whole, check: { ...check, isDone: 1 } },
    [],
  ]
  for (const each of [...odd.map((value) => JSON.stringify(value)), '', '{'])
    await assert.rejects(copiedHistory(storeWith(each)), { code: 'store-failed' })
})

void test('its share is that of the comparison that confirmed most', () => {
  assert.equal(confirmedShare(whole), 0.4)
  assert.equal(confirmedShare({ ...whole, check: { ...check, compared: 75 } }), 0.75)
})

void test('a cut takes blocks away from its end', () => {
  assert.equal(cutCopied(whole, 110), whole)
  assert.equal(cutCopied(whole, 200), whole)
  const { check: _begunAnew, ...left } = whole
  assert.deepEqual(cutCopied(whole, 80), { ...left, until: 80 })
  const early = { ...left, until: 30, confirmed: 20 }
  assert.deepEqual(cutCopied(whole, 30), early)
  assert.equal(cutCopied(whole, 10), undefined)
})
