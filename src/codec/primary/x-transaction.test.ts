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
import { sha256 } from '../../core/hash.ts'
import { decode, encode } from '../cursor.ts'
import { transactionIdOf } from './ids.ts'
import { xBlock, xTransactionAlone, xTransactionNames, xUnsigned } from './x-transaction.ts'

const entries = vectors('x-txs')
const chain = {
  alone: xTransactionAlone,
  unsigned: xUnsigned,
  names: xTransactionNames,
  manager: 'AVM',
} as const

void test('X-Chain transactions: every vector decodes to its fields, encodes back, and no truncation passes', () =>
  checkTransactions(entries, chain))

void test('X-Chain transactions: avalanchejs agrees on every signed vector it knows', () => {
  assert.equal(checkAgainstSdk(entries, chain), 13)
})

void test('X-Chain blocks: ids and transaction ids match', () => {
  for (const entry of vectors('x-blocks')) {
    const bytes = fromHex(entry.hex)
    const block = decode(xBlock, bytes)
    assert.equal(toCb58(sha256(bytes)), entry.blockID)
    const ids = block.transactions.map((one) => toCb58(transactionIdOf(one.bytes)))
    assert.deepEqual(ids, entry.txIDs ?? [])
    assert.equal(toHex(encode(xBlock, block)), toHex(bytes))
    everyTruncationFails(xBlock, bytes, entry.name)
  }
})
