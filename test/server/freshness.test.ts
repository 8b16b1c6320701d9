/** Every answer of one chain says how fresh it is, and waits for a height when asked to. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService } from '../support/services/evm-service.ts'
import { primaryService, recordedAnswers, replyOf } from '../support/services/primary-service.ts'

const evm = await evmService({ chains: [51001, 51002] })
const stores = {
  SQLite: await primaryService(),
  PostgreSQL: await primaryService({}, 'postgres'),
}
const primary = '/v1/networks/fuji'

void test('fresh answers: of an EVM chain, with the head while one is known', async () => {
  const newest = (await evm.get('/v1/chains/51002/blocks?pageSize=1')).body.blocks[0]
  evm.time.head = 160
  for (const path of [
    '/v1/chains/51002',
    '/v1/chains/51002/blocks/1',
    '/v1/chains/51002/transactions',
    '/v2/chains/51002/metrics/txCount',
    '/v1/chains/51002/blocks/99999999',
  ]) {
    const { headers } = await evm.get(path)
    assert.equal(headers.get('x-indexed-height'), newest.blockNumber, path)
    assert.equal(headers.get('x-indexed-at'), String(newest.blockTimestamp), path)
    assert.equal(headers.get('x-head-height'), '160', path)
  }
  evm.time.head = undefined
  const { headers } = await evm.get('/v1/chains/51002/blocks/1')
  assert.equal(headers.get('x-head-height'), 'unknown')
})

void test('fresh answers: of every chain of the primary network, on both databases', async () => {
  const heights = { 'p-chain': 'platform.getHeight', 'x-chain': 'avm.getHeight' } as const
  for (const [name, service] of Object.entries(stores)) {
    for (const [chain, method] of Object.entries(heights)) {
      const { height } = replyOf(recordedAnswers(), method)
      const { headers, body } = await service.get(
        `${primary}/blockchains/${chain}/blocks?pageSize=1`,
      )
      assert.equal(headers.get('x-indexed-height'), String(height), `${name} ${chain}`)
      assert.equal(headers.get('x-indexed-at'), String(body.blocks[0].blockTimestamp))
      assert.equal(headers.get('x-head-height'), 'unknown')
    }
    const { height } = replyOf(recordedAnswers(), 'platform.getHeight')
    for (const path of [
      primary,
      `${primary}/validators`,
      `${primary}/subnets`,
      `${primary}/delegators`,
    ]) {
      const { headers } = await service.get(path)
      assert.equal(headers.get('x-indexed-height'), String(height), path)
    }
  }
})

void test('minHeight: answered at once when it is stored, 503 when it does not come', async () => {
  const path = '/v1/chains/51002/blocks/1'
  const { headers } = await evm.get(path)
  const height = Number(headers.get('x-indexed-height'))
  assert.equal((await evm.get(`${path}?minHeight=${height}`)).status, 200)
  const before = evm.time.nowMs
  const late = await evm.get(`${path}?minHeight=${height + 1}`)
  assert.equal(late.status, 503)
  assert.equal(late.headers.get('retry-after'), '1')
  assert.match(late.body.message, /minHeight is not stored yet/)
  assert.equal(evm.time.nowMs - before, 2_000)
})

void test('minHeight: wrong ones are 400, as on operations over several chains', async () => {
  for (const path of [
    '/v1/blocks',
    '/v1/transactions',
    '/v2/chains/total/metrics/txCount',
    '/v1/chains',
  ]) {
    const { status, body } = await evm.get(`${path}?minHeight=1`)
    assert.equal(status, 400, path)
    assert.match(body.message, /one chain/)
  }
  const { status, body } = await evm.get('/v1/chains/51002/blocks?minHeight=-1')
  assert.equal(status, 400)
  assert.match(body.message, /minHeight must be a height/)
  const several = await stores.SQLite.get(
    `${primary}/addresses:listChainIds?addresses=x&minHeight=1`,
  )
  assert.equal(several.status, 400)
})

void test('paths that are deliberately not offered say why', async () => {
  for (const [path, why] of [
    [`${primary}/blockchains/x-chain/vertices`, /vertices/],
    [`${primary}/blockchains/x-chain/vertices/abc`, /vertices/],
    [`${primary}/blockchains/x-chain/vertices:listByHeight?vertexHeight=1`, /vertices/],
    ['/v2/chains/43114/btcb/bridged:getAddresses?threshold=1', /bridge/],
    ['/v1/rpcUsageMetrics', /node listener/],
    ['/v1/subnetRpcUsageMetrics', /node listener/],
    ['/v2/lookingGlass/compositeQuery', /composite/],
    ['/v2/lookingGlass/other', /no such route/],
  ] as const) {
    const { status, body } = await stores.SQLite.get(path)
    assert.equal(status, 404, path)
    assert.match(body.message, why)
  }
})
