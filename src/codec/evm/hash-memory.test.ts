import assert from 'node:assert/strict'
import { test } from 'node:test'

import { keccak_256 } from '@noble/hashes/sha3.js'

import { toHex } from '../../core/bytes.ts'
import { HashMemory } from './hash-memory.ts'
import { firstFree } from './keccak-code.ts'

void test('hashing: messages of every length up to three blocks, two at a time, in any order', () => {
  const memory = new HashMemory()
  for (const step of [1, 7, 136]) {
    const sizes = Array.from({ length: 410 }, (_, at) => (at * step) % 410)
    const messages = sizes.map((size, at) =>
      Uint8Array.from({ length: size }, (_, i) => i * 7 + at),
    )
    let at = firstFree
    const digests = firstFree + 300_000
    for (const [place, message] of messages.entries()) {
      memory.bytes.set(message, at)
      memory.add(at, message.length, digests + place * 32)
      at += message.length
    }
    memory.run()
    for (const [place, message] of messages.entries()) {
      const found = memory.bytes.subarray(digests + place * 32, digests + place * 32 + 32)
      assert.equal(toHex(found), toHex(keccak_256(message)), `${message.length} bytes`)
    }
  }
})

void test('hashing: memory that grows keeps what is in it', () => {
  const memory = new HashMemory()
  memory.bytes.set([1, 2, 3], firstFree)
  memory.reserve(5_000_000)
  assert.ok(memory.bytes.length >= 5_000_000)
  memory.add(firstFree, 3, firstFree + 100)
  memory.run()
  const found = memory.bytes.subarray(firstFree + 100, firstFree + 132)
  assert.equal(toHex(found), toHex(keccak_256(Uint8Array.of(1, 2, 3))))
})

void test('hex: digits of every even length become bytes, over themselves too', () => {
  const memory = new HashMemory()
  for (let digits = 32; digits < 140; digits += 2) {
    const bytes = Uint8Array.from({ length: digits / 2 }, (_, at) => at * 29 + digits)
    const text = toHex(bytes)
    for (const each of [text, text.toUpperCase()]) {
      memory.text.write(`0x${each}`, firstFree, 'latin1')
      assert.ok(memory.unhex(firstFree + 2, firstFree + 2 + digits, firstFree))
      assert.deepEqual(memory.bytes.slice(firstFree, firstFree + digits / 2), bytes)
    }
  }
})

void test('hex: any character that is no digit is told, wherever it is', () => {
  const memory = new HashMemory()
  for (const size of [32, 34, 46, 64])
    for (let at = 0; at < size; at++)
      for (let code = 0; code < 256; code += at === 3 ? 1 : 17) {
        const text = `${'0'.repeat(at)}${String.fromCharCode(code)}${'f'.repeat(size - at - 1)}`
        memory.text.write(text, firstFree, 'latin1')
        const isDigit = /^[0-9a-f]$/i.test(String.fromCharCode(code))
        const said = memory.unhex(firstFree, firstFree + size, firstFree + 2_000)
        assert.equal(said, isDigit, `${code} at ${at} of ${size}`)
      }
})
