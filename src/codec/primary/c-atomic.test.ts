import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  checkAgainstSdk,
  checkTransactions,
  everyTruncationFails,
  vectors,
} from '../../../test/support/chains/primary-vectors.ts'
import { fromHex, toHex } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { decode, encode } from '../cursor.ts'
import {
  cBatch,
  cTransactionAlone,
  cTransactionNames,
  cUnsigned,
  decodeExtraData,
} from './c-atomic.ts'
import { transactionIdOf } from './ids.ts'

const entries = vectors('c-atomic-txs')
const chain = {
  alone: cTransactionAlone,
  unsigned: cUnsigned,
  names: cTransactionNames,
  manager: 'EVM',
} as const

void test('C-Chain transactions: every vector decodes to its fields, encodes back, and no truncation passes', () =>
  checkTransactions(entries, chain))

void test('C-Chain transactions: avalanchejs agrees on every signed vector it knows', () => {
  assert.equal(checkAgainstSdk(entries, chain), 12)
})

void test('C-Chain extra data: one alone before, a batch since Apricot Phase 5, never an empty batch', () => {
  assert.deepEqual(decodeExtraData(new Uint8Array(0), true), [])
  assert.deepEqual(decodeExtraData(new Uint8Array(0), false), [])
  assert.throws(() => decodeExtraData(fromHex('000000000000'), true), Fault)
  for (const entry of entries) {
    if (entry.txIDs === undefined) continue
    const bytes = fromHex(entry.hex)
    const ids = decodeExtraData(bytes, true).map((one) => toCb58(transactionIdOf(one.bytes)))
    assert.deepEqual(ids, entry.txIDs)
    assert.equal(toHex(encode(cBatch, decode(cBatch, bytes))), toHex(bytes))
    everyTruncationFails(cBatch, bytes, entry.name)
    assert.throws(() => decodeExtraData(bytes, false), Fault)
  }
})
