/** Older names of operations over all chains answer what the newer ones answer. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { AvaCloudSDK } from '@avalabs/avacloud-sdk'
import { Avalanche } from '@avalanche-sdk/chainkit'

import { evmService } from '../../support/services/evm-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'

const service = await evmService({ chains: [51001, 51002] })

void test('older names: the same bytes under both, page by page', async () => {
  const { body: latest } = await service.get('/v1/transactions?pageSize=1')
  const address = latest.transactions[0].from.address
  for (const [older, newer] of [
    [`/v1/chains/address/${address}`, `/v1/address/${address}/chains`],
    ['/v1/chains/allTransactions?pageSize=7', '/v1/transactions?pageSize=7'],
    ['/v1/chains/allBlocks?pageSize=7', '/v1/blocks?pageSize=7'],
    ['/v1/chains/allTransactions?status=failed', '/v1/transactions?status=failed'],
  ] as const) {
    const [a, b] = await Promise.all([service.get(older), service.get(newer)])
    assert.equal(a.status, 200, older)
    assert.deepEqual(a.body, b.body, older)
    const token = a.body.nextPageToken
    if (token === undefined) continue
    const [next, same] = await Promise.all([
      service.get(`${older}&pageToken=${token}`),
      service.get(`${newer}&pageToken=${token}`),
    ])
    assert.deepEqual(next.body, same.body, older)
  }
  assert.equal((await service.get('/v1/chains/51001')).body.chainId, '51001')
})

void test('older names: both clients read them', async () => {
  const options = { serverURL: service.url }
  const { body } = await service.get('/v1/transactions?pageSize=1')
  const address = body.transactions[0].from.address
  for (const { data } of [
    new Avalanche({ enableTelemetry: false }),
    new AvaCloudSDK({ serverURL: service.url }),
  ]) {
    const { chains } = data.evm
    const found = await chains.getAddressChains({ address }, options)
    assert.ok((found.indexedChains ?? []).length > 0)
    for await (const page of await chains.listAllLatestBlocks({ pageSize: 100 }, options)) {
      assert.ok(page.result.blocks.length > 0)
      break
    }
    for await (const page of await chains.listAllLatestTransactions({ pageSize: 100 }, options)) {
      assert.ok(page.result.transactions.length > 0)
      break
    }
  }
})

provesOperations(
  [service],
  ['getAddressChains', 'listAllLatestTransactions', 'listAllLatestBlocks'],
)
