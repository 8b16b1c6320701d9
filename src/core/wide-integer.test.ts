import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { fromBigint, toHex } from './bytes.ts'
import { wideBytes, wideInteger } from './wide-integer.ts'

void test('wide integer: bytes are those of the hexadecimal digits, and the way back gives it', () => {
  const check = (value: bigint): void => {
    const digits = value === 0n ? '' : value.toString(16)
    const bytes = wideBytes(value)
    assert.equal(toHex(bytes), digits.length % 2 === 0 ? digits : `0${digits}`, `${value}`)
    assert.equal(wideInteger(bytes), value)
  }
  for (let bits = 0n; bits <= 300n; bits++)
    for (const near of [-1n, 0n, 1n]) if ((1n << bits) + near >= 0n) check((1n << bits) + near)
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 1n << 270n }), check))
})

void test('wide integer: leading zeros change nothing', () => {
  for (let size = 1; size < 40; size++) assert.equal(wideInteger(fromBigint(258n, size + 1)), 258n)
})
