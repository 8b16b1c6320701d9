import assert from 'node:assert/strict'
import { test } from 'node:test'

import { KnownForms } from './contract-forms.ts'

const amounts = { ends: ['from', 'to'], number: 'tokenId' } as const
const minute = 60_000

void test('doubts: they are taken up below where blocks are read on, the lowest height of each', () => {
  const forms = new KnownForms()
  forms.doubt('a', 20)
  forms.resume({ a: 10, b: 15, c: 30 }, 30)
  assert.deepEqual(forms.doubts, { a: 10, b: 15 })
  forms.resume(undefined, 15)
  assert.deepEqual(forms.doubts, { a: 10 })
})

void test('doubts: each is settled once, and its rows are made anew from its height on', () => {
  const forms = new KnownForms()
  forms.doubt('a', 10)
  forms.doubt('b', 12)
  forms.doubt('c', 5)
  forms.settle('b', amounts)
  forms.settle('a', amounts)
  assert.equal(forms.takeReread(10, 0), undefined)
  assert.equal(forms.takeReread(100, 0), 10)
  assert.equal(forms.takeReread(100, 0), undefined)
  assert.deepEqual(forms.doubts, { c: 5 })
})

void test('doubts: blocks that are read again are 4,096 at most, and 256 a minute', () => {
  const forms = new KnownForms()
  const settled = (key: string, height: number): void => {
    forms.doubt(key, height)
    forms.settle(key, amounts)
  }
  settled('deep', 1)
  assert.equal(forms.takeReread(5_000, 0), undefined)
  settled('a', 1_000)
  assert.equal(forms.takeReread(5_000, 0), 1_000)
  settled('b', 4_500)
  assert.equal(forms.takeReread(5_000, 0), undefined)
  assert.equal(forms.takeReread(5_000, minute), undefined)
  assert.equal(forms.takeReread(5_000, 2 * minute), 4_500)
  assert.deepEqual(forms.doubts, { deep: 1 })
  assert.equal(forms.takeReread(4_097, 60 * minute), 1)
  assert.equal(forms.doubts, undefined)
})
