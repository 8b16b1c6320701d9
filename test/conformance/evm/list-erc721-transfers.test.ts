import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService } from '../../support/services/evm-service.ts'
import { busiest, expectedTransfers, sample, transferOf } from './replay.ts'

const chain = 51002
const service = await evmService({ chains: [chain] })
const expected = expectedTransfers(chain).filter(({ standard }) => standard === 721)
const holders = busiest(expected.flatMap(({ from, to }) => [from, to]))
const listOf = (address: string): string =>
  `/v1/chains/${chain}/addresses/${address}/transactions:listErc721`

void test('listErc721: every list is what the receipts say, old one-topic logs included', async () => {
  for (const address of sample(holders, 12)) {
    const items = await service.readAll(`${listOf(address)}?pageSize=9`, 'transactions')
    const wanted = expected.filter(({ from, to }) => from === address || to === address)
    assert.deepEqual(items.map(transferOf), wanted.reverse(), address)
  }
})

void test('listErc721: an entry has no value, its token a state of metadata', async () => {
  const { body } = await service.get(`${listOf(holders[0]!)}?pageSize=1`)
  const [item] = body.transactions
  assert.ok(!('value' in item))
  assert.equal(item.erc721Token.ercType, 'ERC-721')
  assert.equal(item.erc721Token.metadata.indexStatus, 'unindexed')
})

void test('listErc721: the state of metadata is upper case for the official clients', async () => {
  const headers = { 'user-agent': 'speakeasy-sdk/typescript 0.3.13 2.0 1.0.0 test' }
  const { body } = await service.get(`${listOf(holders[0]!)}?pageSize=1`, headers)
  assert.equal(body.transactions[0].erc721Token.metadata.indexStatus, 'UNINDEXED')
})
