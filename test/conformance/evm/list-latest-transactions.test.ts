import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService } from '../../support/services/evm-service.ts'
import { expectedTransactions, shownOf, transactionOf } from './replay.ts'

const chain = 51002
const service = await evmService({ chains: [chain] })
const expected = expectedTransactions(chain).reverse()
const list = `/v1/chains/${chain}/transactions`

void test('transactions: the whole chain, newest first', async () => {
  const items = await service.readAll(`${list}?pageSize=100`, 'transactions')
  assert.deepEqual(items.map(transactionOf), expected.map(shownOf))
})

void test('transactions: status keeps those that failed, or those that did not', async () => {
  for (const [status, txStatus] of [
    ['failed', '0'],
    ['success', '1'],
  ] as const) {
    const items = await service.readAll(`${list}?status=${status}&pageSize=100`, 'transactions')
    const wanted = expected.filter((row) => row.txStatus === txStatus)
    assert.ok(wanted.length > 20, status)
    assert.deepEqual(items.map(transactionOf), wanted.map(shownOf), status)
  }
})

void test('transactions: the method is named where the signature is known', async () => {
  const items = await service.readAll(`${list}?pageSize=100`, 'transactions')
  const names = new Map(items.map(({ method }) => [method.methodHash, method.methodName]))
  // Selectors of the ERC texts.
  assert.equal(names.get('0xa9059cbb'), 'transfer(address,uint256)')
  assert.equal(names.get('0x23b872dd'), 'transferFrom(address,address,uint256)')
  assert.equal(names.get('0x095ea7b3'), 'approve(address,uint256)')
  assert.equal(names.get('0xd0e30db0'), 'deposit()')
})

void test('transactions: payments and creations say so', async () => {
  const items = await service.readAll(`${list}?pageSize=100`, 'transactions')
  const methods = new Map(items.map(({ method }) => [method.callType, method]))
  assert.deepEqual(methods.get('NATIVE_TRANSFER'), {
    callType: 'NATIVE_TRANSFER',
    methodHash: '',
    methodName: 'Native Transfer',
  })
  assert.deepEqual(methods.get('CONTRACT_CREATION'), {
    callType: 'CONTRACT_CREATION',
    methodHash: '',
    methodName: 'Contract Created',
  })
})
