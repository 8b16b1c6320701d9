import assert from 'node:assert/strict'
import { test } from 'node:test'

import { FlatTable } from './flat-table.ts'

type Key = readonly [number, number, number, number, number]

function entryOf(table: FlatTable, key: Key): number {
  table.key.set(key)
  return table.entryOf(key.length)
}

function find(table: FlatTable, key: Key): number {
  table.key.set(key)
  return table.find(key.length)
}

void test('flat table: entries stay while it grows, whatever room it began with', () => {
  for (const room of [1, 32, 33, 100]) {
    const table = new FlatTable(5, room)
    const all = Array.from({ length: 1_000 }, (_, at): Key => [at, 7, at * 3, 0, at % 5])
    for (const [entry, key] of all.entries()) {
      assert.equal(find(table, key), -1)
      assert.equal(entryOf(table, key), entry)
    }
    for (const [entry, key] of all.entries()) {
      assert.equal(find(table, key), entry)
      assert.equal(entryOf(table, key), entry)
    }
    assert.deepEqual([...table.words], all.flat())
    table.clear()
    assert.equal(find(table, [0, 7, 0, 0, 0]), -1)
    assert.equal(table.count, 0)
  }
})

/** Keys that have one hash as long as nothing of it is secret: the last word takes it back to 0. */
function chosen(count: number): Key[] {
  return Array.from({ length: count }, (_, at): Key => {
    const start = [at + 1, at * 7, at * 13, at * 29] as const
    let hash = 0
    for (const word of start) hash = Math.imul((hash ^ word) + (hash >>> 15), 0x85eb_ca77)
    const last = (-(hash >>> 15) ^ hash) >>> 0
    assert.equal(Math.imul((hash ^ last) + (hash >>> 15), 0x85eb_ca77), 0)
    return [...start, last]
  })
}

/** As many that nobody chose. */
function plain(count: number): Key[] {
  let state = 1
  const word = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0)
  return Array.from({ length: count }, (): Key => [word(), word(), word(), word(), word()])
}

function millisecondsOf(keys: readonly Key[]): number {
  const from = process.threadCpuUsage()
  const table = new FlatTable(5, 64)
  for (const key of keys) entryOf(table, key)
  const { user, system } = process.threadCpuUsage(from)
  assert.equal(table.count, keys.length)
  return (user + system) / 1_000
}

void test('flat table: keys chosen to fall into one slot cost as much as others', () => {
  const count = 20_000
  const [usual, attack] = [plain(count), chosen(count)]
  millisecondsOf(usual)
  // Looked through one by one they would take a hundred times as long.
  const usualMs = millisecondsOf(usual)
  const attackMs = millisecondsOf(attack)
  assert.ok(attackMs < 20 * usualMs + 20, `${attackMs} ms where others take ${usualMs}`)
})
