/** Delegations of every state, against what nodes said of delegators and of reward UTXOs. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { AvaCloudSDK } from '@avalabs/avacloud-sdk'
import { Avalanche } from '@avalanche-sdk/chainkit'

import { delegationFees } from '../../../src/api/primary/validators/list-delegators.ts'
import { outputContent } from '../../../src/codec/primary/output-content.ts'
import { fromHex } from '../../../src/core/bytes.ts'
import type { Json } from '../../support/services/evm-service.ts'
import { renewed, renewedService } from '../../support/services/renewed-service.ts'
import { newDatabase } from '../../support/stores/shared-postgres.ts'

const ended = await renewedService()
const scaled = await renewedService(renewed.height, { store: await newDatabase(), dataDir: '' })
const path = '/v1/networks/fuji/delegators'
const primary = '11111111111111111111111111111111LpoYY'

// A height at which a delegation runs.
const running = 106
const midway = await renewedService(running)

void test('delegators: with their validators the active ones weigh what the node says', async () => {
  const ours = await midway.readAll(`${path}?delegationStatus=active&pageSize=1`, 'delegators')
  assert.ok(ours.length > 0)
  const { body } = await midway.get(
    `/v1/networks/fuji/validators?validationStatus=active&subnetId=${primary}&pageSize=100`,
  )
  const said = renewed.answers.validatorsAt[primary]?.[running] ?? {}
  assert.deepEqual(
    new Set(Object.keys(said)),
    new Set(body.validators.map(({ nodeId }: Json) => nodeId)),
  )
  for (const { nodeId, amountStaked, delegationFee } of body.validators) {
    const mine = ours.filter((one) => one.nodeId === nodeId)
    const delegated = mine.reduce((sum, one) => sum + BigInt(one.amountDelegated), 0n)
    assert.equal(String(BigInt(amountStaked) + delegated), said[nodeId]?.['weight'], nodeId)
    for (const one of mine) assert.equal(one.delegationFee, delegationFee)
  }
  // What was expected is what came.
  const later = await ended.readAll(path, 'delegators')
  for (const one of ours) {
    const paid = later.find(({ txHash }) => txHash === one.txHash)
    assert.equal(paid?.netReward, one.estimatedNetReward)
    assert.equal(paid?.grossReward, one.estimatedGrossReward)
  }
})

void test('delegators: rewards of the ended ones are in the node’s reward UTXOs', async () => {
  const ours = await ended.readAll(`${path}?delegationStatus=completed&pageSize=2`, 'delegators')
  assert.ok(ours.length > 4)
  let paid = 0
  for (const one of ours) {
    const amounts = (renewed.answers.rewardUtxos[one.txHash] ?? []).map(
      (hex) => outputContent(fromHex(hex).subarray(2 + 32 + 4 + 32)).amount,
    )
    if (one.netReward === '0') assert.deepEqual(amounts, [])
    else assert.ok(amounts.includes(BigInt(one.netReward)), one.txHash)
    if (one.netReward !== '0') paid++
    // Commission is rounded up in favour of the validator.
    const shares = BigInt(Math.round(Number(one.delegationFee) * 10_000))
    const net = (BigInt(one.grossReward) * (1_000_000n - shares)) / 1_000_000n
    assert.equal(one.netReward, String(net))
  }
  assert.ok(paid > 2)
})

void test('delegators: filters, order and pages; PostgreSQL answers the same', async () => {
  const whole = await ended.readAll(`${path}?pageSize=3`, 'delegators')
  const up = await ended.readAll(`${path}?pageSize=4&sortOrder=asc`, 'delegators')
  assert.deepEqual(up.toReversed(), whole)
  const [first] = whole
  const ofNode = whole.filter(({ nodeId }) => nodeId === first.nodeId)
  assert.deepEqual(await ended.readAll(`${path}?nodeIds=${first.nodeId}`, 'delegators'), ofNode)
  const owner = first.rewardAddresses[0]
  const ofOwner = whole.filter(({ rewardAddresses }) => rewardAddresses.includes(owner))
  const byOwner = `${path}?rewardAddresses=P-${owner}`
  assert.deepEqual(await ended.readAll(byOwner, 'delegators'), ofOwner)
  const both = `${byOwner}&nodeIds=${first.nodeId}&delegationStatus=completed`
  const ofBoth = ofOwner.filter(
    ({ nodeId, delegationStatus }) => nodeId === first.nodeId && delegationStatus === 'completed',
  )
  assert.deepEqual(await ended.readAll(both, 'delegators'), ofBoth)
  for (const list of [`${path}?pageSize=100`, byOwner, both, `${path}?nodeIds=${first.nodeId}`])
    assert.deepEqual((await scaled.get(list)).body, (await ended.get(list)).body, list)
})

void test('delegators: the error names the bad parameter', async () => {
  const cases: readonly [string, RegExp][] = [
    ['?delegationStatus=removed', /delegationStatus/],
    ['?nodeIds=NodeID-x', /nodeIds/],
    ['?rewardAddresses=P-x', /addresses/],
    ['?pageSize=101', /pageSize/],
  ]
  for (const [query, message] of cases) {
    const { status, body } = await ended.get(`${path}${query}`)
    assert.equal(status, 400, query)
    assert.match(body.message, message)
  }
})

void test('clients: both read delegators of every state', async () => {
  for (const { url } of [midway, ended]) {
    const options = { serverURL: url }
    const seen: string[][] = []
    for (const client of [
      new Avalanche({ network: 'fuji', enableTelemetry: false }).data.primaryNetwork,
      new AvaCloudSDK({ network: 'fuji', serverURL: url }).data.primaryNetwork,
    ]) {
      const hashes: string[] = []
      for await (const page of await client.listDelegators({ pageSize: 3 }, options))
        hashes.push(...page.result.delegators.map(({ txHash }) => txHash))
      seen.push(hashes)
    }
    assert.ok(seen[0] !== undefined && seen[0].length > 0)
    assert.deepEqual(seen[0], seen[1])
  }
})

void test('delegators: a fee that is not stored is never taken for none', async () => {
  const unknown = new Uint8Array(32)
  const feeOf = await delegationFees(ended.network.store, [unknown])
  assert.throws(() => feeOf(unknown), /broken invariant/)
})
