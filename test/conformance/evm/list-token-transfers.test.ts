import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService } from '../../support/services/evm-service.ts'
import { busiest, expectedTransfers, transferOf } from './replay.ts'

const chain = 51002
const service = await evmService({ chains: [chain] })
const expected = expectedTransfers(chain)
const tokens = busiest(expected.map(({ token }) => token))
const listOf = (address: string): string => `/v1/chains/${chain}/tokens/${address}/transfers`

void test('listTransfers: every token has all its transfers, each with its own token object', async () => {
  assert.ok(tokens.length >= 10)
  for (const token of tokens) {
    const items = await service.readAll(`${listOf(token)}?pageSize=100`, 'transfers')
    const wanted = expected.filter((row) => row.token === token).reverse()
    assert.deepEqual(items.map(transferOf), wanted, token)
  }
})

void test('listTransfers: of one item of a collection alone', async () => {
  const items = expected.filter(({ tokenId }) => tokenId !== undefined)
  const { token = '', tokenId = '' } = items.at(-1) ?? {}
  const listed = await service.readAll(
    `${listOf(token)}?tokenId=${tokenId}&pageSize=1`,
    'transfers',
  )
  const wanted = items.filter((row) => row.token === token && row.tokenId === tokenId)
  assert.deepEqual(listed.map(transferOf), wanted.reverse())
})

void test('listTransfers: the block range bounds the list', async () => {
  const token = tokens[0]!
  const items = await service.readAll(
    `${listOf(token)}?startBlock=50&endBlock=60&pageSize=13`,
    'transfers',
  )
  const wanted = expected.filter(
    (row) => row.token === token && row.height >= 50 && row.height < 60,
  )
  assert.ok(wanted.length > 13)
  assert.deepEqual(items.map(transferOf), wanted.reverse())
})

void test('listTransfers: an address that is no token contract has no transfers', async () => {
  const { status, body } = await service.get(listOf(`0x${'00'.repeat(20)}`))
  assert.equal(status, 200)
  assert.deepEqual(body, { transfers: [] })
})
