import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService } from '../../support/services/evm-service.ts'
import { busiest, expectedTransfers, sample, transferOf } from './replay.ts'

const chain = 51002
const service = await evmService({ chains: [chain] })
const expected = expectedTransfers(chain)
const holders = busiest(expected.flatMap(({ from, to }) => [from, to]))
const listOf = (address: string): string => `/v1/chains/${chain}/addresses/${address}/transfers`

void test('listAddressTransfers: every list is what the receipts say, of all standards in their order', async () => {
  const standards = new Set<number>()
  for (const address of sample(holders, 15)) {
    const wanted = expected.filter(({ from, to }) => from === address || to === address).reverse()
    for (const { standard } of wanted) standards.add(standard)
    for (const size of [100, 7, 1]) {
      if (size === 1 && wanted.length > 40) continue
      const items = await service.readAll(`${listOf(address)}?pageSize=${size}`, 'transfers')
      assert.deepEqual(items.map(transferOf), wanted, `${address} by ${size}`)
    }
  }
  assert.deepEqual(standards, new Set([20, 721, 1155]))
})

void test('listAddressTransfers: of one token, in one direction', async () => {
  const { token, to } = expected.at(-1)!
  const wanted = expected.filter((row) => row.token === token && row.to === to).reverse()
  const items = await service.readAll(
    `${listOf(to)}?tokenAddress=${token}&direction=in&pageSize=9`,
    'transfers',
  )
  assert.deepEqual(items.map(transferOf), wanted)
})
