import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService } from '../../support/services/evm-service.ts'
import { busiest, expectedTransfers, sample, transferOf } from './replay.ts'

const chain = 51002
const service = await evmService({ chains: [chain] })
const expected = expectedTransfers(chain).filter(({ standard }) => standard === 1155)
const holders = busiest(expected.flatMap(({ from, to }) => [from, to]))
const listOf = (address: string): string =>
  `/v1/chains/${chain}/addresses/${address}/transactions:listErc1155`

void test('listErc1155: every list is what the receipts say, an entry per pair of a batch', async () => {
  for (const address of sample(holders, 15)) {
    const wanted = expected.filter(({ from, to }) => from === address || to === address).reverse()
    for (const size of [100, 1]) {
      if (size === 1 && wanted.length > 40) continue
      const items = await service.readAll(`${listOf(address)}?pageSize=${size}`, 'transactions')
      assert.deepEqual(items.map(transferOf), wanted, `${address} by ${size}`)
    }
  }
})

void test('listErc1155: pages may end inside a batch', async () => {
  const groups = new Map<string, number>()
  for (const { txHash, logIndex } of expected) {
    const key = `${txHash} ${logIndex}`
    groups.set(key, (groups.get(key) ?? 0) + 1)
  }
  const [key] = [...groups].find(([, count]) => count >= 3)!
  const row = expected.find(({ txHash, logIndex }) => `${txHash} ${logIndex}` === key)!
  const path = `${listOf(row.to)}?startBlock=${row.height}&endBlock=${row.height + 1}&pageSize=2`
  const items = await service.readAll(path, 'transactions')
  const wanted = expected
    .filter(({ from, to, height }) => height === row.height && (from === row.to || to === row.to))
    .reverse()
  assert.deepEqual(items.map(transferOf), wanted)
})
