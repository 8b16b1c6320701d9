import assert from 'node:assert/strict'
import { test } from 'node:test'

import { casedAddress, toChecksumAddress } from '../../../core/address.ts'
import { fromHex, toHex } from '../../../core/bytes.ts'
import { casesOf, maskOfCase, storedCase } from './addresses.ts'

// Source: EIP-55, test cases; the zero address has no letters.
const examples = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  `0x${'0'.repeat(40)}`,
]

function shown(addresses: readonly Uint8Array[]): string[] {
  const cases = casesOf(addresses)
  return addresses.map((address, at) => {
    const mask = maskOfCase(cases[at] ?? -1)
    assert.ok(mask !== undefined)
    return casedAddress(toHex(address), mask)
  })
}

void test('cases of addresses: the examples of EIP-55', () => {
  assert.deepEqual(shown(examples.map(fromHex)), examples)
})

void test('cases of addresses: many, and none', () => {
  const many = Array.from({ length: 2_050 }, (_, at) => {
    const address = new Uint8Array(20).fill(at % 251)
    new DataView(address.buffer).setUint32(3, at * 2_654_435)
    return address
  })
  assert.deepEqual(shown(many), many.map(toChecksumAddress))
  assert.deepEqual(shown([]), [])
})

void test('cases of addresses: a damaged value is distinguished from a good one', () => {
  for (const mask of [0, 1, 2 ** 40 - 1, 0x5a_5a5a_5a5a]) {
    const stored = storedCase(mask)
    assert.equal(maskOfCase(stored), mask)
    for (let bit = 0; bit < 52; bit++) {
      const isSet = Math.floor(stored / 2 ** bit) % 2 === 1
      const flipped = isSet ? stored - 2 ** bit : stored + 2 ** bit
      assert.notEqual(maskOfCase(flipped), mask, `mask ${mask} bit ${bit}`)
    }
  }
})
