import assert from 'node:assert/strict'
import { test } from 'node:test'

import { AddressBook } from './address-book.ts'

/** The number that gives 1 when it is multiplied by an odd one, in 32 bits. */
function inverse(odd: number): number {
  let found = odd
  for (let round = 0; round < 5; round++) found = Math.imul(found, 2 - Math.imul(odd, found))
  return found
}

/** Addresses that have one hash as long as nothing of it is secret: five words, big-endian. */
function chosen(count: number): Buffer {
  const bytes = Buffer.alloc(count * 20)
  const last = inverse(0x165667b1)
  for (let at = 0; at < count; at++) {
    // The last word is what takes the others back to 0.
    const [start, b, c, d] = [at + 1, at * 7, at * 13, at * 29]
    let hash = Math.imul(start, 0x9e3779b1)
    hash = Math.imul((hash ^ b) + (hash >>> 15), 0x85ebca77)
    hash = Math.imul((hash ^ c) + (hash >>> 13), 0xc2b2ae3d)
    hash = Math.imul((hash ^ d) + (hash >>> 16), 0x27d4eb2f)
    const e = ((Math.imul(0, last) - (hash >>> 15)) ^ hash) >>> 0
    const words = [(start ^ (e >>> 7)) >>> 0, b >>> 0, c >>> 0, d >>> 0, e]
    for (const [word, value] of words.entries()) bytes.writeUInt32BE(value, at * 20 + word * 4)
  }
  return bytes
}

/** As many that nobody chose. */
function plain(count: number): Buffer {
  const bytes = Buffer.alloc(count * 20)
  let state = 1
  for (let at = 0; at < bytes.length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes.writeUInt32BE(state, at)
  }
  return bytes
}

function millisecondsOf(addresses: Buffer): number {
  const from = performance.now()
  const ids = new AddressBook(64).join(addresses)
  const tookMs = performance.now() - from
  assert.equal(new Set(ids).size, addresses.length / 20)
  return tookMs
}

void test('addresses: those chosen to fall into one slot cost as much as others', () => {
  const count = 20_000
  const [usual, attack] = [plain(count), chosen(count)]
  millisecondsOf(usual)
  // Looked through one by one they would take a hundred times as long.
  const usualMs = millisecondsOf(usual)
  const attackMs = millisecondsOf(attack)
  assert.ok(attackMs < 20 * usualMs + 20, `${attackMs} ms where others take ${usualMs}`)
})
