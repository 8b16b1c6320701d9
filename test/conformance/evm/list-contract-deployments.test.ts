/** Contracts an address deployed, against the receipts and traces of the recording. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { AvaCloudSDK } from '@avalabs/avacloud-sdk'
import { Avalanche } from '@avalanche-sdk/chainkit'

import { evmService, type Json } from '../../support/services/evm-service.ts'
import { rawChain } from '../../support/stores/demo-store.ts'

const service = await evmService({ chains: [51001] })
const scaled = await evmService({ chains: [51001], engine: 'postgres' })
const pathOf = (address: string): string => `/v1/chains/51001/contracts/${address}/deployments`

/** Contracts of receipts, newest first, by sender. */
const direct = new Map<string, { address: string; txHash: string }[]>()
for (const { receipts } of rawChain(51001)) {
  for (const one of receipts) {
    const receipt: Json = one
    if (typeof receipt.contractAddress !== 'string' || receipt.status !== '0x1') continue
    const from = String(receipt.from).toLowerCase()
    const own = direct.get(from) ?? []
    direct.set(from, own)
    own.unshift({
      address: receipt.contractAddress.toLowerCase(),
      txHash: receipt.transactionHash,
    })
  }
}

void test('deployments: those of receipts are all there, newest first, page by page', async () => {
  assert.ok(direct.size > 0)
  for (const [deployer, expected] of direct) {
    const listed = await service.readAll(`${pathOf(deployer)}?pageSize=2`, 'contracts')
    const own = listed.filter((one) => one.deploymentDetails.deployerContractAddress === undefined)
    assert.deepEqual(
      own.map(({ address, deploymentDetails }) => ({
        address: address.toLowerCase(),
        txHash: deploymentDetails.txHash,
      })),
      expected,
    )
    assert.equal(new Set(listed.map(({ address }) => address)).size, listed.length)
    for (const one of listed) {
      assert.equal(one.deploymentDetails.deployerAddress.toLowerCase(), deployer)
      const { body } = await service.get(`/v1/chains/51001/addresses/${one.address}`)
      // Counts are of one token at a time.
      const { transferCount: _transfers, holderCount: _holders, ...alone } = body
      assert.deepEqual(one, alone)
    }
    const other = await scaled.readAll(`${pathOf(deployer)}?pageSize=2`, 'contracts')
    assert.deepEqual(other, listed)
  }
})

void test('contracts: all of a chain, newest first, page by page, the same on both engines', async () => {
  const path = '/v1/chains/51001/contracts?pageSize=3'
  const listed = await service.readAll(path, 'contracts')
  const outside = listed.filter(
    (one) => one.deploymentDetails.deployerContractAddress === undefined,
  )
  const receipts = rawChain(51001).flatMap(({ receipts: all }) => all as Json[])
  assert.deepEqual(
    outside.map(({ address }) => address.toLowerCase()),
    receipts
      .filter(
        ({ contractAddress, status }) => typeof contractAddress === 'string' && status === '0x1',
      )
      .map(({ contractAddress }) => contractAddress.toLowerCase())
      .toReversed(),
  )
  assert.ok(listed.length > outside.length)
  assert.deepEqual(await scaled.readAll(path, 'contracts'), listed)
  const frozen = await evmService({ chains: [51001], frozen: [40, 80] })
  assert.deepEqual(await frozen.readAll(path, 'contracts'), listed)
})

void test('deployments: an address that deployed nothing has none; bad input is refused', async () => {
  const nobody = `0x${'12'.repeat(20)}`
  assert.deepEqual((await service.get(pathOf(nobody))).body, { contracts: [] })
  assert.equal((await service.get(pathOf('0x1'))).status, 400)
  assert.equal((await service.get(`${pathOf(nobody)}?pageSize=101`)).status, 400)
  const [deployer = ''] = direct.keys()
  assert.equal((await service.get(`${pathOf(deployer)}?pageToken=x`)).status, 400)
})

void test('deployments: both clients read them', async () => {
  const [address = ''] = direct.keys()
  const options = { serverURL: service.url }
  for (const { data } of [
    new Avalanche({ enableTelemetry: false, chainId: '51001' }),
    new AvaCloudSDK({ serverURL: service.url, chainId: '51001' }),
  ]) {
    const contracts: Json[] = []
    for await (const page of await data.evm.address.contracts.listDeployments({ address }, options))
      contracts.push(...page.result.contracts)
    assert.ok(contracts.length >= (direct.get(address)?.length ?? 0))
  }
})
