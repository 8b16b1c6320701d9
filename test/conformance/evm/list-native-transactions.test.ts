import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService } from '../../support/services/evm-service.ts'
import { busiest, expectedTransactions, sample, shownOf, transactionOf } from './replay.ts'

const chain = 51002
const service = await evmService({ chains: [chain] })
const expected = expectedTransactions(chain)
const zeroAddress = `0x${'0'.repeat(40)}`
const partiesOf = ({ from, to, created, callType }: (typeof expected)[number]): string[] => [
  from,
  ...(callType === 'CONTRACT_CREATION' ? [] : [to]),
  ...(created === undefined ? [] : [created]),
]
const parties = busiest(expected.flatMap(partiesOf))
const listOf = (address: string): string =>
  `/v1/chains/${chain}/addresses/${address}/transactions:listNative`

void test('listNative: senders, receivers and created contracts have their transactions', async () => {
  const created = expected.flatMap((row) => row.created ?? []).slice(0, 5)
  for (const address of [...sample(parties, 12), ...created]) {
    const items = await service.readAll(`${listOf(address)}?pageSize=29`, 'transactions')
    const wanted = expected.filter((row) => partiesOf(row).includes(address)).reverse()
    assert.deepEqual(items.map(transactionOf), wanted.map(shownOf), address)
  }
})

void test('listNative: by method and direction', async () => {
  const address = parties[0] ?? ''
  const all = await service.readAll(`${listOf(address)}?pageSize=100`, 'transactions')
  const hashes = new Set(all.map(({ method }) => method.methodHash).filter((hash) => hash !== ''))
  assert.ok(hashes.size > 0)
  for (const hash of hashes) {
    const query = `${listOf(address)}?methodHash=${hash}&direction=out&pageSize=2`
    const items = await service.readAll(query, 'transactions')
    assert.deepEqual(
      items,
      all.filter(
        ({ method, from }) => method.methodHash === hash && from.address.toLowerCase() === address,
      ),
    )
  }
  assert.equal((await service.get(`${listOf(address)}?methodHash=transfer`)).status, 400)
})

void test('listNative: a creation has the zero address as receiver, but is not in the list of that address', async () => {
  const creation = expected.find(({ callType }) => callType === 'CONTRACT_CREATION')
  assert.ok(creation !== undefined)
  const sent = await service.readAll(`${listOf(creation.from)}?pageSize=100`, 'transactions')
  assert.equal(sent.find(({ txHash }) => txHash === creation.txHash).to.address, zeroAddress)
  const items = await service.readAll(`${listOf(zeroAddress)}?pageSize=100`, 'transactions')
  const wanted = expected.filter((row) => partiesOf(row).includes(zeroAddress)).reverse()
  assert.deepEqual(items.map(transactionOf), wanted.map(shownOf))
})

void test('listNative: the block range bounds the list', async () => {
  const address = parties[0]!
  const items = await service.readAll(`${listOf(address)}?startBlock=3&endBlock=8`, 'transactions')
  const wanted = expected
    .filter((row) => partiesOf(row).includes(address))
    .filter(({ blockNumber }) => Number(blockNumber) >= 3 && Number(blockNumber) < 8)
  assert.ok(wanted.length > 10)
  assert.deepEqual(items.map(transactionOf), wanted.reverse().map(shownOf))
})
