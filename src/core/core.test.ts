import assert from 'node:assert/strict'
import { test } from 'node:test'

import { keccak_256 } from '@noble/hashes/sha3.js'

import {
  parseEvmAddress,
  parsePrimaryAddress,
  toChecksumAddress,
  toPrimaryAddress,
} from './address.ts'
import { fromBigint, fromHex, toBigint, toHex } from './bytes.ts'
import { fromCb58, parseId, parseNodeId, toCb58, toNodeId } from './cb58.ts'
import { Fault } from './fault.ts'
import { keccak256, keccak256Digits, writeKeccak256 } from './hash.ts'
import { publicNetworks } from './network.ts'

void test('cb58: ids of the public networks survive a round trip', () => {
  for (const network of Object.values(publicNetworks)) {
    for (const id of [network.pChainId, network.xChainId, network.cChainId, network.avaxAssetId]) {
      assert.equal(toCb58(parseId(id)), id)
      assert.deepEqual(parseId(toHex(parseId(id))), parseId(id))
    }
  }
  assert.deepEqual(parseId(publicNetworks.mainnet.pChainId), new Uint8Array(32))
})

void test('cb58: one changed letter is a fault', () => {
  const id = publicNetworks.mainnet.xChainId
  for (let at = 0; at < id.length; at++) {
    const changed = id.slice(0, at) + (id[at] === '2' ? '3' : '2') + id.slice(at + 1)
    assert.throws(() => fromCb58(changed), Fault, `letter ${at}`)
  }
  for (const text of ['', '1', '0OIl', 'é', '1'.repeat(200)]) {
    assert.throws(() => fromCb58(text), Fault, text)
  }
})

void test('node id: the first local staker reads and writes', () => {
  // avalanchego genesis/genesis_local.json
  const text = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
  assert.equal(toNodeId(parseNodeId(text)), text)
  assert.throws(() => parseNodeId(text.slice(7)), Fault)
})

void test('primary address: the prefunded local key, with and without a chain prefix', () => {
  // avalanchego genesis/genesis_local.go, EWOQKey
  const hex = '3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c'
  assert.equal(
    toPrimaryAddress('local', fromHex(hex)),
    'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  )
  for (const prefix of ['', 'P-', 'X-', 'C-']) {
    const text = `${prefix}local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u`
    assert.equal(toHex(parsePrimaryAddress(text, 'local')), hex)
    assert.throws(() => parsePrimaryAddress(text, 'fuji'), Fault)
    assert.throws(() => parsePrimaryAddress(text.replace('z96u', 'z96q'), 'local'), Fault)
  }
})

void test('EVM address: EIP-55 examples', () => {
  for (const text of [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ]) {
    assert.equal(toChecksumAddress(parseEvmAddress(text.toLowerCase())), text)
  }
})

void test('integers: bytes and back', () => {
  for (const value of [0n, 1n, 255n, 256n, 2n ** 64n - 1n, 2n ** 256n - 1n]) {
    assert.equal(toBigint(fromBigint(value, 32)), value)
  }
})

void test('keccak: runtime and library agree at every length around their blocks', () => {
  assert.equal(
    toHex(keccak256(new Uint8Array())),
    'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
  const written = Buffer.alloc(40)
  for (let size = 1; size < 420; size++) {
    const bytes = Uint8Array.from({ length: size }, (_, at) => at * 31 + size)
    const hash = keccak_256(bytes)
    assert.deepEqual(keccak256(bytes), hash, `size ${size}`)
    assert.equal(keccak256Digits(bytes), toHex(hash), `size ${size}`)
    writeKeccak256(bytes, written, 3)
    assert.deepEqual(new Uint8Array(written.subarray(3, 35)), hash, `size ${size}`)
  }
})
