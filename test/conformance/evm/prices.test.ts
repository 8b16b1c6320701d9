import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { PriceSource } from '../../../src/api/prices/token-lists.ts'
import { toHex } from '../../../src/core/bytes.ts'
import { evmService } from '../../support/services/evm-service.ts'
import { expectedTransactions } from './replay.ts'

const chain = 51002
const holder = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const usdc = '5fbdb2315678afecb367f032d93f642f64180aa3'

/** A list of two prices; half as much a day in the past. */
const prices: PriceSource = {
  offered: true,
  current: async ({ of, currency }) =>
    of.map((thing) => {
      if (thing === 'native') return currency === 'eur' ? '20' : '25.5'
      return toHex(thing) === usdc ? '0.9998' : undefined
    }),
  historical: async ({ of }) => of.map((thing) => (thing === 'native' ? '12.75' : undefined)),
}
const service = await evmService({ chains: [chain], parts: { prices } })
const balances = `/v1/chains/${chain}/addresses/${holder}/balances:listErc20?pageSize=50`
const sdk = { 'user-agent': 'speakeasy-sdk/typescript 0.3.13 2.0 1.0.0 test' }

void test('prices: a balance is worth amount times price, to the last digit', async () => {
  const { body } = await service.get(balances)
  const priced = body.erc20TokenBalances.find((item: { symbol: string }) => item.symbol === 'USDC')
  assert.deepEqual(priced.price, { currencyCode: 'usd', value: '0.9998' })
  // 6 decimals of the token, 4 of the price: ten digits after the point.
  const exact = (BigInt(priced.balance) * 9998n).toString().padStart(11, '0')
  const shown = `${exact.slice(0, -10)}.${exact.slice(-10)}`.replace(/\.?0+$/, '')
  assert.deepEqual(priced.balanceValue, { currencyCode: 'usd', value: shown })
  const other = body.erc20TokenBalances.find((item: { symbol: string }) => item.symbol === 'JOE')
  assert.ok(!('price' in other) && !('balanceValue' in other), 'an unknown price is absent')
})

void test('prices: they are in the requested currency', async () => {
  const { body } = await service.get(`${balances}&currency=eur`)
  assert.deepEqual(body.nativeTokenBalance.price, { currencyCode: 'eur', value: '20' })
})

void test('prices: values are text in documents, numbers for the official clients', async () => {
  const documented = await service.get(balances)
  const clients = await service.get(balances, sdk)
  assert.equal(documented.body.nativeTokenBalance.price.value, '25.5')
  assert.equal(clients.body.nativeTokenBalance.price.value, 25.5)
  const forced = await service.get(balances, { ...sdk, 'x-firn-dialect': 'documented' })
  assert.equal(forced.body.nativeTokenBalance.price.value, '25.5')
})

void test('prices: a transaction older than a day has the price of its day beside the current', async () => {
  const [{ txHash } = { txHash: '' }] = expectedTransactions(chain).slice(-1)
  const path = `/v1/chains/${chain}/transactions/${txHash}`
  const old = await service.get(path)
  assert.deepEqual(old.body.networkTokenDetails.currentPrice, {
    currencyCode: 'usd',
    value: '25.5',
  })
  assert.deepEqual(old.body.networkTokenDetails.historicalPrice, {
    currencyCode: 'usd',
    value: '12.75',
  })
  const day = 24 * 60 * 60
  const now = service.time.nowMs
  service.time.nowMs = (old.body.nativeTransaction.blockTimestamp + day) * 1_000
  const young = await service.get(path)
  service.time.nowMs = now
  assert.ok(!('historicalPrice' in young.body.networkTokenDetails))
})

void test('prices: a token contract carries its price', async () => {
  const { body } = await service.get(`/v1/chains/${chain}/addresses/0x${usdc}`)
  assert.deepEqual(body.price, { currencyCode: 'usd', value: '0.9998' })
})

void test('prices: the token of a transfer carries its price', async () => {
  const { body } = await service.get(`/v1/chains/${chain}/tokens/0x${usdc}/transfers?pageSize=1`)
  assert.deepEqual(body.transfers[0].erc20Token.price, { currencyCode: 'usd', value: '0.9998' })
})
