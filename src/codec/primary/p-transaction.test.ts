import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  checkAgainstSdk,
  checkTransactions,
  vectors,
} from '../../../test/support/chains/primary-vectors.ts'
import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { decode } from '../cursor.ts'
import { pTransactionAlone, pTransactionNames, pUnsigned } from './p-transaction.ts'

const entries = [...vectors('p-txs-signed'), ...vectors('p-txs-unsigned')]
const chain = {
  alone: pTransactionAlone,
  unsigned: pUnsigned,
  names: pTransactionNames,
  manager: 'PVM',
} as const

void test('P-Chain transactions: every vector decodes to its fields, encodes back, and no truncation passes', () =>
  checkTransactions(entries, chain))

void test('P-Chain transactions: avalanchejs agrees on every signed vector it knows', () => {
  assert.equal(checkAgainstSdk(entries, chain), 50)
})

void test('P-Chain transactions: an unknown type stops with its id and offset', () => {
  const bytes = fromHex('00000000002b00000000')
  assert.throws(
    () => decode(pTransactionAlone, bytes),
    (error) =>
      error instanceof Fault && error.detail['typeId'] === 43 && error.detail['offset'] === 2,
  )
})
