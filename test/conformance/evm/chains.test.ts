import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService, type Json } from '../../support/services/evm-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'
import { rawChain } from '../../support/stores/demo-store.ts'
import { expectedInternals, expectedTransactions } from './replay.ts'

const chain = 51002
const service = await evmService({ chains: [chain] })
const usdc = '0x5fbdb2315678afecb367f032d93f642f64180aa3'

void test('chains: the list has the served ones, by network and by feature', async () => {
  const { body } = await service.get('/v1/chains')
  assert.deepEqual(
    body.chains.map(({ chainId, chainName, isTestnet }: Json) => [chainId, chainName, isTestnet]),
    [['51002', 'Demo Arcade', true]],
  )
  for (const [query, count] of [
    ['network=mainnet', 0],
    ['network=fuji', 1],
    ['network=testnet', 1],
    ['feature=teleporter', 1],
    ['feature=webhooks', 1],
  ] as const) {
    const listed = await service.get(`/v1/chains?${query}`)
    assert.equal(listed.body.chains.length, count, query)
  }
  assert.equal((await service.get('/v1/chains?network=main')).status, 400)
})

void test('chains: one by its id, 404 for an unknown id', async () => {
  const { body } = await service.get('/v1/chains')
  const one = await service.get(`/v1/chains/${chain}`)
  assert.deepEqual(one.body, body.chains[0])
  assert.equal((await service.get('/v1/chains/43114')).status, 404)
})

void test('address chains: those on which something happened to the address', async () => {
  const active = await service.get('/v1/address/0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266/chains')
  assert.deepEqual(
    active.body.indexedChains.map(({ chainId }: Json) => chainId),
    ['51002'],
  )
  const unused = await service.get(`/v1/address/0x${'ab'.repeat(20)}/chains`)
  assert.deepEqual(unused.body, { indexedChains: [], unindexedChains: [] })
})

void test('contract: name, standard and who deployed it', async () => {
  const [creation] = expectedTransactions(chain).filter(({ created }) => created === usdc)
  const { body } = await service.get(`/v1/chains/${chain}/addresses/${usdc}`)
  assert.equal(body.address.toLowerCase(), usdc)
  assert.equal(body.ercType, 'ERC-20')
  assert.deepEqual([body.name, body.symbol, body.decimals], ['USD Coin', 'USDC', 6])
  assert.equal(body.deploymentDetails.txHash, creation!.txHash)
  assert.equal(body.deploymentDetails.deployerAddress.toLowerCase(), creation!.from)
})

void test('contract: one that another contract created names its creator', async () => {
  const inner = expectedInternals(chain).find(
    ({ type, isReverted }) => type === 'CREATE2' && !isReverted,
  )!
  const { body } = await service.get(`/v1/chains/${chain}/addresses/${inner.to}`)
  assert.equal(body.ercType, 'UNKNOWN')
  assert.equal(body.deploymentDetails.txHash, inner.txHash)
  assert.equal(body.deploymentDetails.deployerContractAddress.toLowerCase(), inner.from)
  const deployment = await service.get(
    `/v1/chains/${chain}/contracts/${inner.to}/transactions:getDeployment`,
  )
  assert.equal(deployment.body.nativeTransaction.txHash, inner.txHash)
})

void test('contract: an address without code is 404', async () => {
  const sender = rawChain(chain)[5]!.block.transactions[0]!.from
  for (const address of [sender, `0x${'ab'.repeat(20)}`]) {
    assert.equal((await service.get(`/v1/chains/${chain}/addresses/${address}`)).status, 404)
    const path = `/v1/chains/${chain}/contracts/${address}/transactions:getDeployment`
    assert.equal((await service.get(path)).status, 404)
  }
})

void test('native balance: the one of the node, now and at the last block', async () => {
  for (const { receipts } of rawChain(chain).slice(3, 8)) {
    const { transactionHash } = receipts[0]!
    const detail = await service.get(`/v1/chains/${chain}/transactions/${transactionHash}`)
    const { address } = detail.body.nativeTransaction.from
    const path = `/v1/chains/${chain}/addresses/${address}/balances:getNative`
    const balance = await service.chains[0]!.state.balance(
      Buffer.from(address.slice(2), 'hex'),
      undefined,
      new AbortController().signal,
    )
    for (const query of ['', '?blockNumber=152']) {
      const { status, body } = await service.get(path + query)
      assert.equal(status, 200)
      assert.equal(body.nativeTokenBalance.balance, balance.toString())
    }
    assert.equal((await service.get(`${path}?blockNumber=10`)).status, 503)
    assert.equal((await service.get(`${path}?blockNumber=9999`)).status, 404)
  }
})

void test('health: stores and process answer under both versions', async () => {
  for (const version of ['v1', 'v2']) {
    const health = await service.get(`/${version}/health-check`)
    assert.deepEqual(health.body.details, { db: { status: 'up' } })
    assert.equal((await service.get(`/${version}/live-check`)).body.status, 'ok')
  }
})

provesOperations(
  [service],
  [
    'supportedChains',
    'getChainInfo',
    'listAddressChains',
    'getContractMetadata',
    'getDeploymentTransaction',
    'getNativeBalance',
    'data-health-check',
    'metrics-health-check',
    'live-check',
    'metrics-live-check',
  ],
)
