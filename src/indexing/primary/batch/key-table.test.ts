import assert from 'node:assert/strict'
import { test } from 'node:test'

import { sha256 } from '../../../core/hash.ts'
import { KeyTable, maxKeyBytes } from './key-table.ts'

function keyFor(number: number, size: number): Uint8Array {
  return sha256(Uint8Array.of(number & 255, (number >> 8) & 255, number >> 16)).subarray(0, size)
}

void test('key table: every key keeps its number while the table grows', () => {
  const table = new KeyTable()
  for (let number = 1; number <= 20_000; number++) table.add(keyFor(number, 20), number)
  assert.equal(table.size(), 20_000)
  for (let number = 1; number <= 20_000; number++)
    assert.equal(table.get(keyFor(number, 20)), number, `key ${number}`)
  assert.equal(table.get(keyFor(20_001, 20)), 0)
})

void test('key table: a key and the beginning of it are two keys', () => {
  const table = new KeyTable()
  for (let size = 0; size <= maxKeyBytes; size++) table.add(new Uint8Array(size), size + 1)
  for (let size = 0; size <= maxKeyBytes; size++)
    assert.equal(table.get(new Uint8Array(size)), size + 1, `size ${size}`)
})

void test('key table: longer keys than an id have numbers too', () => {
  const table = new KeyTable()
  table.add(new Uint8Array(maxKeyBytes + 1), 7)
  assert.equal(table.get(new Uint8Array(maxKeyBytes + 1)), 7)
  assert.equal(table.get(new Uint8Array(maxKeyBytes)), 0)
})

void test('key table: a number can change', () => {
  const table = new KeyTable()
  for (const size of [20, 32, maxKeyBytes + 1]) {
    table.add(new Uint8Array(size), -1)
    table.change(new Uint8Array(size), size)
    assert.equal(table.get(new Uint8Array(size)), size)
  }
  assert.equal(table.size(), 3)
})

void test('key table: a cleared table knows nothing', () => {
  const table = new KeyTable()
  table.add(keyFor(1, 32), 5)
  table.clear()
  assert.equal(table.get(keyFor(1, 32)), 0)
  assert.equal(table.size(), 0)
  table.add(keyFor(1, 32), 6)
  assert.equal(table.get(keyFor(1, 32)), 6)
})
