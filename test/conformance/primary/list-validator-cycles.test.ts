/** Auto-renewed validators: their cycles, and what every other answer says of them. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Avalanche } from '@avalanche-sdk/chainkit'

import { outputContent } from '../../../src/codec/primary/output-content.ts'
import { fromHex } from '../../../src/core/bytes.ts'
import { heliconAgent, holdAgainstHelicon } from '../../support/chains/helicon-shapes.ts'
import type { Json } from '../../support/services/evm-service.ts'
import { renewed, renewedService } from '../../support/services/renewed-service.ts'
import { newDatabase } from '../../support/stores/shared-postgres.ts'

const whole = await renewedService()
const scaled = await renewedService(renewed.height, { store: await newDatabase(), dataDir: '' })
// The third cycle runs: two are settled, another share is set for this one.
const midway = await renewedService(120)
const base = '/v1/networks/fuji'
const primary = '11111111111111111111111111111111LpoYY'
const helicon = { 'user-agent': heliconAgent }

const all = await whole.readAll(
  `${base}/blockchains/p-chain/transactions?pageSize=100&sortOrder=asc`,
  'transactions',
)
const ofType = (name: string): Json[] => all.filter(({ txType }) => txType === name)
const added = ofType('AddAutoRenewedValidatorTx')
const [first, second] = added
const cyclesOf = (nodeId: string): string => `${base}/validators/${nodeId}/cycles`

/** Amounts of the UTXOs that the node has for a rewarding transaction. */
function paidBy(rewardTxHash: string): bigint[] {
  const utxos = renewed.answers.rewardUtxos[rewardTxHash] ?? []
  // Codec version, transaction, index, asset; then the output.
  return utxos.map((hex) => outputContent(fromHex(hex).subarray(2 + 32 + 4 + 32)).amount)
}

void test('cycles: each paid what the node has in UTXOs, to the last nAVAX', async () => {
  assert.equal(added.length, 2)
  const cycles = await whole.readAll(`${cyclesOf(first.nodeId)}?pageSize=2`, 'cycles')
  assert.deepEqual(
    cycles.map(({ cycleIndex, outcome }) => [cycleIndex, outcome]),
    [
      [5, 'exited'],
      [4, 'renewed'],
      [3, 'renewed'],
      [2, 'renewed'],
      [1, 'renewed'],
    ],
  )
  let compounded = 0n
  for (const cycle of cycles.toReversed()) {
    const withdrawn = [cycle.withdrawnValidationReward, cycle.withdrawnDelegateeReward].map(BigInt)
    // At the exit what all cycles compounded is paid, too; it is of no cycle.
    const accrued = cycle.outcome === 'exited' ? compounded : 0n
    const paid = paidBy(cycle.rewardTxHash).reduce((sum, one) => sum + one, 0n)
    assert.equal(
      withdrawn.reduce((sum, one) => sum + one, accrued),
      paid,
      cycle.cycleIndex,
    )
    compounded += BigInt(cycle.compoundedValidationReward)
    compounded += BigInt(cycle.compoundedDelegateeReward)
    for (const kind of ['ValidationReward', 'DelegateeReward']) {
      const parts = BigInt(cycle[`withdrawn${kind}`]) + BigInt(cycle[`compounded${kind}`])
      assert.equal(String(parts), cycle[`gross${kind}`])
    }
  }
  assert.deepEqual(
    cycles.map(({ autoCompoundSharePercent }) => autoCompoundSharePercent),
    [0, 100, 100, 30, 30],
  )
  const oldestFirst = await whole.readAll(
    `${cyclesOf(first.nodeId)}?sortOrder=asc&pageSize=1`,
    'cycles',
  )
  assert.deepEqual(oldestFirst, cycles.toReversed())
})

void test('cycles: weights are those the node had in its sets, delegations are counted once', async () => {
  const cycles = await whole.readAll(`${cyclesOf(first.nodeId)}?sortOrder=asc`, 'cycles')
  const heights = renewed.answers.validatorsAt[primary] ?? []
  const transactions = ofType('RewardAutoRenewedValidatorTx')
  for (const [at, cycle] of cycles.entries()) {
    const settled = transactions.find(({ txHash }) => txHash === cycle.rewardTxHash)
    const last = Number(settled.blockNumber)
    const delegated = cycles[at].delegatorCount === 0 ? 0n : BigInt(cycle.amountDelegated)
    // At the settling proposal the delegations of the cycle are over.
    assert.equal(heights[last]?.[first.nodeId]?.['weight'], cycle.weightAtCycleStart)
    if (delegated > 0n) {
      const withDelegator = heights
        .slice(0, last)
        .some(
          (set) =>
            BigInt(set[first.nodeId]?.['weight'] ?? 0) ===
            BigInt(cycle.weightAtCycleStart) + delegated,
        )
      assert.ok(withDelegator)
    }
    const next = cycles[at + 1]
    // What a renewal said the next cycle would earn, and what it did earn.
    assert.equal(settled.estimatedReward, next?.grossValidationReward)
  }
  assert.deepEqual(
    cycles.map(({ delegatorCount }) => delegatorCount),
    [1, 0, 0, 0, 0],
  )
})

void test('cycles: an aborted one earned nothing; a list can be of one staking transaction', async () => {
  const { body } = await whole.get(cyclesOf(second.nodeId))
  assert.equal(body.currentCycle, undefined)
  const aborted = body.cycles.filter(({ outcome }: Json) => outcome === 'aborted')
  assert.equal(aborted.length, 1)
  assert.equal(aborted[0].grossValidationReward, '0')
  assert.deepEqual(paidBy(aborted[0].rewardTxHash), [])
  const only = await whole.get(`${cyclesOf(second.nodeId)}?txHash=${second.txHash}`)
  assert.deepEqual(only.body.cycles, aborted)
  const other = await whole.get(`${cyclesOf(second.nodeId)}?txHash=${first.txHash}`)
  assert.deepEqual(other.body, { cycles: [] })
  const none = await whole.get(cyclesOf('NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'))
  assert.deepEqual(
    none.body.cycles.filter(({ outcome }: Json) => outcome === 'exited'),
    [],
  )
})

void test('cycles: PostgreSQL gives the bytes SQLite gives', async () => {
  const paths = [
    cyclesOf(first.nodeId),
    `${cyclesOf(first.nodeId)}?pageSize=2&sortOrder=asc`,
    cyclesOf(second.nodeId),
    `${base}/validators?pageSize=100`,
    `${base}/blockchains/p-chain/transactions?pageSize=100`,
    `${base}/blockchains/p-chain/balances?addresses=${first.rewardAddresses.join(',')}`,
  ]
  for (const path of paths) {
    assert.deepEqual((await scaled.get(path)).body, (await whole.get(path)).body, path)
  }
})

void test('cycles: the one that runs is on the first page, and its state is what was set', async () => {
  const one = await midway.get(`${cyclesOf(first.nodeId)}?pageSize=1`)
  const { currentCycle, cycles, nextPageToken } = one.body
  assert.equal(cycles[0].cycleIndex, currentCycle.cycleIndex - 1)
  assert.equal(currentCycle.stakingTxHash, first.txHash)
  assert.equal(currentCycle.startTimestamp, cycles[0].endTimestamp)
  const rest = await midway.get(`${cyclesOf(first.nodeId)}?pageSize=1&pageToken=${nextPageToken}`)
  assert.equal(rest.body.currentCycle, undefined)
  assert.equal(rest.body.cycles.length, 1)
  const later = await whole.readAll(`${cyclesOf(first.nodeId)}?sortOrder=asc`, 'cycles')
  const same = later[currentCycle.cycleIndex - 1]
  assert.equal(currentCycle.projectedValidationReward, same.grossValidationReward)
  assert.equal(currentCycle.weightAtCycleStart, same.weightAtCycleStart)
  const states = await Promise.all(
    [104, 120, 126].map(async (last) => {
      const service = await renewedService(last)
      const { body } = await service.get(
        `${base}/validators/${first.nodeId}?validationStatus=active`,
      )
      return body.validators[0].autoRenew.state
    }),
  )
  assert.deepEqual(states, ['renewing', 'renewing', 'exiting'])
})

void test('cycles: restaked rewards are a balance while the stake runs, and paid after', async () => {
  const addresses = first.rewardAddresses.join(',')
  const path = `${base}/blockchains/p-chain/balances?addresses=${addresses}`
  const running = (await midway.get(path)).body.balances
  const cycles = await midway.readAll(cyclesOf(first.nodeId), 'cycles')
  const compounded = cycles.reduce(
    (sum, one) =>
      sum + BigInt(one.compoundedValidationReward) + BigInt(one.compoundedDelegateeReward),
    0n,
  )
  assert.ok(compounded > 0n)
  assert.equal(running.restakedRewards, String(compounded))
  assert.equal((await whole.get(path)).body.balances.restakedRewards, '0')
  const past = await midway.get(`${path}&blockTimestamp=1795265700`)
  assert.equal(past.body.balances.restakedRewards, undefined)
  const x = await midway.get(`${base}/blockchains/x-chain/balances?addresses=${addresses}`)
  assert.equal(x.body.balances.restakedRewards, undefined)
})

void test('cycles: the error names the bad parameter', async () => {
  const cases: readonly [string, RegExp][] = [
    ['/NodeID-bogus/cycles', /nodeId/],
    [`/${first.nodeId}/cycles?pageSize=0`, /pageSize/],
    [`/${first.nodeId}/cycles?txHash=x`, /txHash/],
    [`/${first.nodeId}/cycles?pageToken=x`, /pageToken/],
  ]
  for (const [query, message] of cases) {
    const { status, body } = await whole.get(`${base}/validators${query}`)
    assert.equal(status, 400, query)
    assert.match(body.message, message)
  }
})

void test('client 0.3.14: takes every answer about auto-renewed validators', async () => {
  for (const service of [whole, midway]) {
    const read = async (path: string): Promise<Json> => (await service.get(path, helicon)).body
    const addresses = first.rewardAddresses.join(',')
    const listed = await read(`${base}/validators?pageSize=100`)
    holdAgainstHelicon('validators', listed)
    const renewing = listed.validators.filter((one: Json) => one.stakingType === 'autoRenewed')
    assert.equal(renewing.length, 2)
    for (const { autoRenew, validationStatus } of renewing)
      assert.equal(autoRenew.endedAtTimestamp === null, validationStatus === 'active')
    const rewards = await read(`${base}/rewards?addresses=${addresses}&pageSize=100`)
    holdAgainstHelicon('historicalRewards', rewards)
    const types = new Set(rewards.historicalRewards.map((one: Json) => one.stakingType))
    assert.ok(types.has('autoRenewed'))
    holdAgainstHelicon(
      'pendingRewards',
      await read(`${base}/rewards:listPending?nodeIds=${first.nodeId}`),
    )
    const staking = `${base}/blockchains/p-chain/transactions:listStaking?addresses=${addresses}`
    holdAgainstHelicon('transactions', await read(staking))
    holdAgainstHelicon('cycles', await read(cyclesOf(first.nodeId)))
    const page = await read(`${base}/blockchains/p-chain/transactions?pageSize=100`)
    holdAgainstHelicon('transactions', page)
    assert.ok(
      page.transactions.some(({ txType }: Json) => txType === 'RewardAutoRenewedValidatorTx'),
    )
  }
  const { body } = await midway.get(
    `${base}/blockchains/p-chain/transactions:listStaking?addresses=${first.rewardAddresses.join(',')}`,
  )
  const running = body.transactions.find(({ txHash }: Json) => txHash === first.txHash)
  assert.equal(running.autoRenew.state, 'renewing')
  assert.equal(running.period, 45)
  assert.equal(running.autoCompoundRewardShares, 300_000)
  assert.equal(running.validatorAuthority.threshold, 1)
})

void test('client 0.3.13: reads them all, the new transactions as UNKNOWN', async () => {
  const client = new Avalanche({ network: 'fuji', enableTelemetry: false })
  const options = { serverURL: midway.url }
  const { primaryNetwork } = client.data
  const types = new Set<string>()
  const request = { blockchainId: 'p-chain', pageSize: 100 } as const
  for await (const page of await primaryNetwork.transactions.listLatest(request, options))
    for (const { txType } of page.result.transactions) types.add(txType)
  assert.ok(types.has('UNKNOWN'))
  let validators = 0
  for await (const page of await primaryNetwork.listValidators({ pageSize: 100 }, options))
    validators += page.result.validators.length
  assert.ok(validators > 4)
  const addresses = first.rewardAddresses.join(',')
  const pending = await primaryNetwork.rewards.listPendingRewards({ addresses }, options)
  for await (const page of pending) assert.ok(page.result.pendingRewards.length > 0)
  await primaryNetwork.balances.listByAddresses({ blockchainId: 'p-chain', addresses }, options)
  // A filter by a new name tells a newer client, whatever it calls itself.
  const named = await midway.get(
    `${base}/blockchains/p-chain/transactions?txTypes=AddAutoRenewedValidatorTx&addresses=${addresses}`,
    { 'user-agent': heliconAgent.replace('0.3.14', '0.3.13') },
  )
  assert.equal(named.body.transactions[0].txType, 'AddAutoRenewedValidatorTx')
})
