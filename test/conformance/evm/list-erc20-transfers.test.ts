import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService } from '../../support/services/evm-service.ts'
import { busiest, expectedTransfers, sample, transferOf } from './replay.ts'

const chain = 51002
const service = await evmService({ chains: [chain] })
const expected = expectedTransfers(chain).filter(({ standard }) => standard === 20)
const holders = busiest(expected.flatMap(({ from, to }) => [from, to]))
const busy = holders.find((address) => !/^0x0+$/.test(address))!
const listOf = (address: string): string =>
  `/v1/chains/${chain}/addresses/${address}/transactions:listErc20`
const of = (address: string): typeof expected =>
  expected.filter(({ from, to }) => from === address || to === address).reverse()

void test('listErc20: every list is what the receipts say, newest first, read in pages', async () => {
  for (const address of sample(holders, 12)) {
    const items = await service.readAll(`${listOf(address)}?pageSize=37`, 'transactions')
    assert.deepEqual(items.map(transferOf), of(address), address)
  }
})

void test('listErc20: pages of any size join to the same list', async () => {
  const address = holders[20]!
  const whole = await service.readAll(`${listOf(address)}?pageSize=100`, 'transactions')
  for (const size of [1, 2, 3, whole.length]) {
    const joined = await service.readAll(`${listOf(address)}?pageSize=${size}`, 'transactions')
    assert.deepEqual(joined, whole, `pageSize ${size}`)
  }
})

void test('listErc20: a page has 10 items by default, and a full last page has no token', async () => {
  const { body } = await service.get(listOf(busy))
  assert.equal(body.transactions.length, 10)
  assert.equal(typeof body.nextPageToken, 'string')
  const ten = holders.find((address) => of(address).length === 10)!
  assert.ok(ten !== undefined, 'the chain has an address with ten transfers')
  const full = await service.get(listOf(ten))
  assert.equal(full.body.transactions.length, 10)
  assert.ok(!('nextPageToken' in full.body))
})

void test('listErc20: by direction, counterparty, token and time, alone and together, in pages', async () => {
  const all = of(busy)
  const [{ from, to, token, timestamp }] = all as [(typeof all)[number]]
  const other = from === busy ? to : from
  const filters = [
    ['direction=in', (row) => row.to === busy],
    ['direction=out', (row) => row.from === busy],
    [`counterparty=${other}`, (row) => row.from === other || row.to === other],
    [`tokenAddress=${token}`, (row) => row.token === token],
    [`startTimestamp=${timestamp}`, (row) => row.timestamp >= timestamp],
    [`endTimestamp=${timestamp}`, (row) => row.timestamp < timestamp],
    [
      `direction=in&tokenAddress=${token}&endTimestamp=${timestamp}`,
      (row) => row.to === busy && row.token === token && row.timestamp < timestamp,
    ],
    [`counterparty=0x${'12'.repeat(20)}`, () => false],
  ] as const satisfies readonly (readonly [string, (row: (typeof all)[number]) => boolean])[]
  for (const [query, fits] of filters) {
    const items = await service.readAll(`${listOf(busy)}?${query}&pageSize=3`, 'transactions')
    assert.deepEqual(items.map(transferOf), all.filter(fits), query)
  }
  for (const wrong of ['direction=up', 'counterparty=me', 'tokenAddress=0x', 'startTimestamp=-1'])
    assert.equal((await service.get(`${listOf(busy)}?${wrong}`)).status, 400, wrong)
})

void test('listErc20: startBlock is inclusive, endBlock exclusive, both on paged lists too', async () => {
  const heights = [...new Set(of(busy).map(({ height }) => height))].sort((a, b) => a - b)
  const [low, high] = [heights[3]!, heights[heights.length - 3]!]
  for (const [query, keep] of [
    [`startBlock=${low}`, (height: number) => height >= low],
    [`endBlock=${high}`, (height: number) => height < high],
    [`startBlock=${low}&endBlock=${high}`, (height: number) => height >= low && height < high],
    [`startBlock=${low}&endBlock=${low}`, () => false],
    ['startBlock=9007199254740991', () => false],
  ] as const) {
    const items = await service.readAll(`${listOf(busy)}?${query}&pageSize=50`, 'transactions')
    const wanted = of(busy).filter(({ height }) => keep(height))
    assert.deepEqual(items.map(transferOf), wanted, query)
  }
})

void test('listErc20: a party is named when it is a token contract, and only then', async () => {
  const tokens = new Set(expectedTransfers(chain).map(({ token }) => token))
  const fromToken = expected.find(({ from }) => tokens.has(from))
  assert.ok(fromToken !== undefined)
  const items = await service.readAll(`${listOf(fromToken.to)}?pageSize=100`, 'transactions')
  const met = new Set<boolean>()
  for (const { from, to } of items) {
    for (const party of [from, to]) {
      const isToken = tokens.has(party.address.toLowerCase())
      assert.equal('symbol' in party, isToken, party.address)
      met.add(isToken)
    }
  }
  assert.equal(met.size, 2, 'parties of both kinds')
})

void test('listErc20: addresses are checksummed and answer in any letter case', async () => {
  // The first account of anvil's known mnemonic, as its own output writes it.
  const known = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  const { body } = await service.get(`${listOf(known)}?pageSize=1`)
  const [item] = body.transactions
  assert.ok([item.from.address, item.to.address].includes(known))
  const lower = await service.get(`${listOf(known.toLowerCase())}?pageSize=1`)
  assert.deepEqual(lower.body.transactions, body.transactions)
})

void test('listErc20: an unused address has an empty list', async () => {
  const { status, body, headers } = await service.get(listOf(`0x${'ab'.repeat(20)}`))
  assert.equal(status, 200)
  assert.deepEqual(body, { transactions: [] })
  assert.equal(headers.get('x-indexed-height'), '152')
})

void test('listErc20: the chain answers to its blockchain id in both forms', async () => {
  const { body } = await service.get('/v1/chains')
  const id = body.chains[0].platformChainId
  const path = `addresses/${busy}/transactions:listErc20?pageSize=3`
  const own = await service.get(`/v1/chains/${chain}/${path}`)
  for (const name of [id, '0xd9c3fd4101459cfa87558ee800670f8a8dc99032dc9129af6aba373d85be85a9']) {
    const { status, body: other } = await service.get(`/v1/chains/${name}/${path}`)
    assert.equal(status, 200, name)
    assert.deepEqual(other.transactions, own.body.transactions, name)
  }
})
