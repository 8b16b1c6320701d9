import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService } from '../../support/services/evm-service.ts'
import { busiest, expectedInternals, internalOf, sample } from './replay.ts'

const chain = 51002
const service = await evmService({ chains: [chain] })
const expected = expectedInternals(chain)
const parties = busiest(
  expected.flatMap(({ from, to }) => [from, to]).filter((address) => !/^0x0+$/.test(address)),
)
const listOf = (address: string): string =>
  `/v1/chains/${chain}/addresses/${address}/transactions:listInternals`
const of = (address: string): typeof expected =>
  expected.filter(({ from, to }) => from === address || to === address).reverse()

void test('listInternals: every list is what the traces say, undone calls marked', async () => {
  for (const address of sample(parties, 15)) {
    const items = await service.readAll(`${listOf(address)}?pageSize=41`, 'transactions')
    assert.deepEqual(items.map(internalOf), of(address), address)
  }
})

void test('listInternals: only calls with coins and creations are listed', async () => {
  const kinds = new Set<string>()
  for (const address of parties) {
    const items = await service.readAll(`${listOf(address)}?pageSize=100`, 'transactions')
    for (const { internalTxType, value } of items) {
      kinds.add(internalTxType)
      if (!internalTxType.startsWith('CREATE')) assert.notEqual(value, '0')
    }
  }
  assert.deepEqual([...kinds].sort(), [...new Set(expected.map(({ type }) => type))].sort())
  assert.ok(kinds.has('CREATE3'), 'the chain deploys through proxies')
})

void test('listInternals: the block range bounds the list', async () => {
  const address = parties[0]!
  const path = `${listOf(address)}?startBlock=30&endBlock=90&pageSize=7`
  const items = await service.readAll(path, 'transactions')
  const wanted = of(address).filter(({ height }) => height >= 30 && height < 90)
  assert.deepEqual(items.map(internalOf), wanted)
})

void test('listInternals: x-indexed-height is that of the traces', async () => {
  const { headers } = await service.get(listOf(parties[0]!))
  assert.equal(headers.get('x-indexed-height'), '152')
})
