/** Stakes of elastic subnets: whose units amounts are in, against the bytes of the transactions. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { AvaCloudSDK } from '@avalabs/avacloud-sdk'
import { Avalanche } from '@avalanche-sdk/chainkit'

import { listShapeIn, valueOf } from '../../../src/api/operation/list-columns.ts'
import { toCb58 } from '../../../src/core/cb58.ts'
import { xTypes } from '../../../src/core/type-ids.ts'
import { pageShape } from '../../../src/shape/page-shape.ts'
import { Validator } from '../../../src/shape/primary/validator.ts'
import { Type } from '../../../src/shape/type.ts'
import { networkNamed } from '../../support/chains/recorded-network.ts'
import type { Json } from '../../support/services/evm-service.ts'
import { renewedService } from '../../support/services/renewed-service.ts'

const primary = '11111111111111111111111111111111LpoYY'
const { p, x, recording } = networkNamed('local-two')
const base = '/v1/networks/fuji'
const ended = await renewedService()
// Stakes of both elastic subnets and of the primary network run.
const midway = await renewedService(80)

/** Assets as the bytes of the X-Chain create them. */
const created = new Map(
  x
    .flatMap(({ transactions }) => transactions)
    .flatMap(({ unsigned, txId }) =>
      unsigned.typeId === xTypes.CreateAssetTx
        ? [
            [
              toCb58(txId),
              { name: unsigned.name, symbol: unsigned.symbol, denomination: unsigned.denomination },
            ] as const,
          ]
        : [],
    ),
)

/** By staking transaction: the asset that its bytes stake, and how much. */
const staked = new Map(
  p
    .flatMap(({ transactions }) => transactions)
    .flatMap(({ unsigned, txId }) => {
      if (!('stake' in unsigned) || unsigned.stake[0] === undefined) return []
      return [[toCb58(txId), toCb58(unsigned.stake[0].assetId)] as const]
    }),
)

const assetFields = ({ assetId, name, symbol, denomination }: Json): Json => ({
  assetId,
  name,
  symbol,
  denomination,
})

/** The asset that bytes say of a staking transaction; genesis stakes AVAX. */
function expected(txHash: string): Json {
  const assetId = staked.get(txHash)
  const asset = assetId === undefined ? undefined : created.get(assetId)
  return asset === undefined
    ? { assetId: avax, name: 'Avalanche', symbol: 'AVAX', denomination: 9 }
    : { assetId, ...asset }
}
const avax = toCb58(ended.network.avaxAssetId)
const elastic = Object.entries(recording.answers.subnets)
  .filter(
    ([, { isPermissioned, conversionID }]) =>
      String(isPermissioned) === 'false' && conversionID === primary,
  )
  .map(([id]) => id)

void test('validators: each names the asset its bytes stake; a weight without coins names none', async () => {
  const symbols = new Set<string>()
  for (const service of [midway, ended])
    for (const one of await service.readAll(`${base}/validators?pageSize=5`, 'validators')) {
      const isWeight =
        String(recording.answers.subnets[one.subnetId]?.['isPermissioned']) === 'true'
      if (isWeight) assert.equal(one.asset, undefined, one.txHash)
      else assert.deepEqual(assetFields(one.asset), expected(one.txHash), one.txHash)
      symbols.add(`${elastic.includes(one.subnetId)} ${one.asset?.symbol ?? 'none'}`)
    }
  assert.deepEqual([...symbols].toSorted(), ['false AVAX', 'false none', 'true ELA'])
})

void test('delegators: a list of several assets says which in every row', async () => {
  const rows = await ended.readAll(`${base}/delegators?pageSize=3`, 'delegators')
  for (const one of rows) assert.deepEqual(assetFields(one.asset), expected(one.txHash), one.txHash)
  assert.deepEqual(new Set(rows.map(({ asset }) => asset.symbol)), new Set(['AVAX', 'ELA']))
})

void test('files: amounts for people are in whole units of the asset, inside of a row, too', async () => {
  const rows = await ended.readAll(`${base}/validators?validationStatus=completed`, 'validators')
  const one = rows.find(({ asset }) => asset?.symbol === 'ELA')
  const six = { ...one, asset: { ...one?.asset, denomination: 6 } }
  const { columns } = listShapeIn(pageShape({ validators: Type.Array(Validator) }), undefined) ?? {}
  const cell = (name: string): unknown => {
    const column = columns?.find((each) => each.name === name)
    assert.ok(column !== undefined, name)
    return valueOf(column, six)
  }
  assert.equal(cell('amountStakedUnits'), one?.amountStaked)
  assert.equal(cell('amountStaked'), String(Number(one?.amountStaked) / 1e6))
  const reward = one?.rewards.validationRewardAmount
  assert.equal(cell('rewards.validationRewardAmountUnits'), reward)
  assert.equal(cell('rewards.validationRewardAmount'), String(Number(reward) / 1e6))
  assert.equal(cell('asset.denomination'), 6)
})

void test('rewards: paid and to come are in the asset that is staked', async () => {
  const nodes = await ended.readAll(`${base}/validators?pageSize=100`, 'validators')
  const query = `nodeIds=${[...new Set(nodes.map(({ nodeId }) => nodeId))].join(',')}`
  const paid = await ended.readAll(`${base}/rewards?${query}`, 'historicalRewards')
  const toCome = await midway.readAll(`${base}/rewards:listPending?${query}`, 'pendingRewards')
  for (const list of [paid, toCome]) {
    const symbols = new Set<string>()
    for (const { txHash, reward, estimatedReward = reward } of list) {
      assert.deepEqual(assetFields(estimatedReward), expected(txHash), txHash)
      symbols.add(estimatedReward.symbol)
    }
    assert.ok(symbols.has('ELA'))
  }
})

void test('transactions: an expected reward says its asset', async () => {
  const symbols = new Set<string>()
  const path = `${base}/blockchains/p-chain/transactions?pageSize=100`
  for (const one of await ended.readAll(path, 'transactions')) {
    const { txHash, estimatedReward, estimatedRewardAsset } = one
    if (estimatedReward === undefined) assert.equal(estimatedRewardAsset, undefined)
    else {
      assert.deepEqual(assetFields(estimatedRewardAsset), expected(txHash), txHash)
      symbols.add(estimatedRewardAsset.symbol)
    }
  }
  assert.ok(symbols.has('ELA') && symbols.has('AVAX'))
})

void test('staking metrics: weights say the asset they are of', async () => {
  for (const subnetId of [...elastic, primary]) {
    const { body } = await ended.get(
      `/v2/networks/fuji/metrics/validatorWeight?subnetId=${subnetId}`,
    )
    const [{ txHash } = { txHash: '' }] = p
      .flatMap(({ transactions }) => transactions)
      .flatMap(({ unsigned, txId }) =>
        'stake' in unsigned && 'subnetId' in unsigned && toCb58(unsigned.subnetId) === subnetId
          ? [{ txHash: toCb58(txId) }]
          : [],
      )
    if (txHash !== '' || subnetId === primary)
      assert.deepEqual(assetFields(body.asset), expected(txHash), subnetId)
  }
})

void test('clients: both read validators and delegators of several assets', async () => {
  for (const client of [
    new Avalanche({ network: 'fuji', enableTelemetry: false }).data.primaryNetwork,
    new AvaCloudSDK({ network: 'fuji', serverURL: ended.url }).data.primaryNetwork,
  ]) {
    let seen = 0
    const options = { serverURL: ended.url }
    for await (const page of await client.listDelegators({ pageSize: 3 }, options))
      seen += page.result.delegators.length
    for await (const page of await client.listValidators({ pageSize: 3 }, options))
      seen += page.result.validators.length
    assert.equal(seen, 9 + 13)
  }
})
