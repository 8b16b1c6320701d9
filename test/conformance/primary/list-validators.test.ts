/** Document A, operations 7 to 10, and their neighbours. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toPrimaryAddress } from '../../../src/core/address.ts'
import { everyAddress } from '../../../src/store/query/primary/whole-state.ts'
import type { Json } from '../../support/services/evm-service.ts'
import { primaryService, recordedAnswers, replyOf } from '../../support/services/primary-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'

const service = await primaryService()
const answers = recordedAnswers()
const { store, hrp } = service.network
const all = await everyAddress(store, 1_000)
const texts = all.map(({ address }) => toPrimaryAddress(hrp, address)).join(',')
const base = '/v1/networks/fuji'
const primary = '11111111111111111111111111111111LpoYY'

const inOrder = (list: readonly string[]): string[] => list.toSorted((a, b) => (a < b ? -1 : 1))

const validators = (query = ''): Promise<Json[]> =>
  service.readAll(`${base}/validators?pageSize=4${query}`, 'validators')

void test('validators: the active ones are the node’s, with its weights, fees and rewards', async () => {
  const ours = await validators(`&validationStatus=active&subnetId=${primary}`)
  const theirs = replyOf(
    answers,
    'platform.getCurrentValidators',
    ({ subnetID, nodeIDs }) => subnetID === primary && nodeIDs === undefined,
  ).validators as Json[]
  assert.equal(ours.length, theirs.length)
  for (const validator of theirs) {
    const one = ours.find(({ txHash }) => txHash === validator.txID)
    assert.ok(one !== undefined, validator.txID)
    assert.equal(one.nodeId, validator.nodeID)
    assert.equal(one.amountStaked, validator.weight)
    assert.equal(one.startTimestamp, Number(validator.startTime))
    assert.equal(one.endTimestamp, Number(validator.endTime))
    assert.equal(one.delegationFee, validator.delegationFee)
    assert.equal(one.potentialRewards.validationRewardAmount, validator.potentialReward)
    assert.equal(one.delegatorCount, Number(validator.delegatorCount))
    assert.equal(one.amountDelegated, validator.delegatorWeight)
    assert.equal(one.blsCredentials?.publicKey, validator.signer.publicKey)
  }
  const shares = ours.reduce((sum, { stakePercentage }) => sum + stakePercentage, 0)
  assert.ok(shares > 90 && shares <= 100.001, `shares of validators: ${shares}`)
})

void test('validators: the states part them, every order is total', async () => {
  const whole = await validators()
  const parts = await Promise.all(
    ['active', 'pending', 'completed', 'removed'].map((status) =>
      validators(`&validationStatus=${status}`),
    ),
  )
  const ids = (list: Json[]): string[] => inOrder(list.map(({ txHash }) => txHash))
  assert.deepEqual(ids(parts.flat()), ids(whole))
  const keys: Readonly<Record<string, (one: Json) => number>> = {
    delegationCapacity: (one) => Number(one.delegationCapacity ?? -1),
    timeRemaining: (one) => (one.validationStatus === 'active' ? one.endTimestamp : 0),
    uptimePerformance: (one) => one.uptimePerformance ?? 0,
  }
  for (const sortBy of ['blockIndex', ...Object.keys(keys)]) {
    const up = await validators(`&sortBy=${sortBy}&sortOrder=asc`)
    const down = await validators(`&sortBy=${sortBy}&sortOrder=desc`)
    assert.deepEqual(up.toReversed(), down, sortBy)
    assert.deepEqual(ids(up), ids(whole))
    const key = keys[sortBy] ?? (() => 0)
    for (let at = 1; at < up.length; at++) assert.ok(key(up[at - 1]) <= key(up[at]), sortBy)
  }
})

void test('validators: an uptime and a reachability that no node reported are absent, and in no filter', async () => {
  const whole = await validators()
  const active = whole.filter(({ validationStatus }) => validationStatus === 'active')
  assert.ok(active.length > 0)
  for (const one of whole) assert.equal(one.uptimePerformance, undefined)
  for (const one of active)
    assert.deepEqual(Object.keys(one.validatorHealth).toSorted(), [
      'benchedCChainRequestsPercent',
      'benchedPChainRequestsPercent',
      'benchedXChainRequestsPercent',
    ])
  for (const filter of ['minUptimePerformance=0', 'maxUptimePerformance=100'])
    assert.deepEqual(await validators(`&${filter}`), [])
})

void test('validators: filters give what they say', async () => {
  const whole = await validators()
  const check = async (query: string, fits: (one: Json) => boolean): Promise<void> => {
    const want = whole.filter(fits)
    assert.deepEqual(await validators(query), want, query)
  }
  const [first] = whole
  const part = first.nodeId.slice(9, 16)
  await check(`&nodeIds=${part}`, ({ nodeId }) => nodeId.includes(part))
  await check(`&nodeIds=${first.nodeId}`, ({ nodeId }) => nodeId === first.nodeId)
  await check(`&subnetId=${primary}`, ({ subnetId }) => subnetId === primary)
  await check('&minFeePercentage=5', ({ delegationFee }) => Number(delegationFee) >= 5)
  await check('&minFeePercentage=2&maxFeePercentage=100', (one) => one.delegationFee !== undefined)
  await check('&minDelegationCapacity=0', (one) => one.delegationCapacity !== undefined)
  const capacity = whole.find((one) => one.delegationCapacity !== undefined).delegationCapacity
  await check(
    `&minDelegationCapacity=${capacity}`,
    (one) => BigInt(one.delegationCapacity ?? -1) >= BigInt(capacity),
  )
  await check('&minTimeRemaining=0', (one) => one.validationStatus === 'active')
  await check('&maxTimeRemaining=10&minTimeRemaining=5', () => false)
  await check('&nodeIds=NodeID-none', () => false)
})

void test('validators: of one node, and what is wrong', async () => {
  const whole = await validators()
  for (const nodeId of new Set<string>(whole.map((one) => one.nodeId))) {
    const mine = await service.readAll(`${base}/validators/${nodeId}?pageSize=2`, 'validators')
    assert.deepEqual(
      mine,
      whole.filter((one) => one.nodeId === nodeId),
    )
  }
  const cases: readonly [string, RegExp][] = [
    ['?sortBy=delegationFee', /sortBy/],
    ['?minFeePercentage=1.9', /minFeePercentage must be a number from 2 to 100/],
    ['?maxUptimePerformance=101', /maxUptimePerformance/],
    ['?minTimeRemaining=2147483648', /minTimeRemaining/],
    ['?minDelegationCapacity=720000000000000001', /minDelegationCapacity/],
    ['?validationStatus=gone', /validationStatus/],
    ['?subnetId=xyz', /subnetId/],
    ['/NodeID-xyz', /nodeId/],
  ]
  for (const [query, message] of cases) {
    const { status, body } = await service.get(`${base}/validators${query}`)
    assert.equal(status, 400, query)
    assert.match(body.message, message)
  }
})

void test('subnets: owners, conversion and chains as the node has them', async () => {
  const subnets = await service.readAll(`${base}/subnets?pageSize=2`, 'subnets')
  const theirs = answers.filter(({ method }) => method === 'platform.getSubnet')
  assert.equal(subnets.length, theirs.length)
  for (const { parameters, reply } of theirs) {
    const id = (parameters as Json).subnetID
    const ours = subnets.find(({ subnetId }) => subnetId === id)
    assert.ok(ours !== undefined, id)
    const { controlKeys, threshold, managerChainID, managerAddress } = reply as Json
    assert.deepEqual(
      ours.ownerAddresses,
      controlKeys.map((key: string) => key.slice(2)),
    )
    assert.equal(ours.threshold, Number(threshold))
    assert.equal(ours.isL1, managerChainID !== primary)
    if (ours.isL1) {
      assert.equal(ours.l1ValidatorManagerDetails.blockchainId, managerChainID)
      assert.equal(ours.l1ValidatorManagerDetails.contractAddress, managerAddress)
    }
    const one = await service.get(`${base}/subnets/${id}`)
    assert.deepEqual(one.body, ours)
  }
  const chains = replyOf(answers, 'platform.getBlockchains').blockchains as Json[]
  const own = await service.get(`${base}/subnets/${primary}`)
  const ids = [...subnets, own.body].flatMap((one) =>
    one.blockchains.map(({ blockchainId }: Json) => blockchainId),
  )
  for (const { id } of chains) assert.ok(ids.includes(id), id)
  const listed = await service.readAll(`${base}/blockchains?pageSize=2`, 'blockchains')
  assert.equal(listed.length, chains.length)
  const evm = listed.find(({ evmChainId }) => evmChainId !== undefined)
  assert.equal(evm.genesisData.config.chainId, evm.evmChainId)
})

void test('rewards: those the node has UTXOs for, of owners and of nodes', async () => {
  const paid = await service.readAll(
    `${base}/rewards?addresses=${texts}&pageSize=2`,
    'historicalRewards',
  )
  const theirs = answers.flatMap(({ method, parameters, reply }) =>
    method === 'platform.getRewardUTXOs'
      ? (reply as Json).utxos.map(() => (parameters as Json).txID as string)
      : [],
  )
  assert.ok(theirs.length > 0)
  assert.deepEqual(inOrder(paid.map(({ txHash }) => txHash)), inOrder(theirs))
  for (const reward of paid) {
    const path = `${base}/rewards?nodeIds=${reward.nodeId}`
    const ofNode = await service.readAll(path, 'historicalRewards')
    assert.ok(ofNode.some(({ utxoId }) => utxoId === reward.utxoId))
    assert.equal(reward.reward.historicalPrice, undefined, 'no prices are configured')
  }
  const pending = await service.readAll(
    `${base}/rewards:listPending?addresses=${texts}&pageSize=2`,
    'pendingRewards',
  )
  const active = await validators('&validationStatus=active')
  for (const { txHash, amountStaked } of active.filter((one) => one.delegationFee)) {
    const one = pending.find((reward) => reward.txHash === txHash)
    assert.equal(one?.amountStaked, amountStaked)
  }
  const { status, body } = await service.get(`${base}/rewards`)
  assert.equal(status, 400)
  assert.match(body.message, /addresses or nodeIds/)
  assert.equal((await service.get(`${base}/rewards?addresses=${texts}&currency=xyz`)).status, 400)
})

void test('blocks: links hold, proposers list theirs, times bound', async () => {
  for (const chain of ['p-chain', 'x-chain', 'c-chain']) {
    const path = `${base}/blockchains/${chain}`
    const blocks = await service.readAll(`${path}/blocks?pageSize=100`, 'blocks')
    for (let at = 1; at < blocks.length; at++) {
      assert.equal(blocks[at - 1].parentHash, blocks[at].blockHash)
      assert.equal(Number(blocks[at - 1].blockNumber), Number(blocks[at].blockNumber) + 1)
    }
    const proposers = new Set<string>(
      blocks.flatMap(({ proposerDetails }) => proposerDetails?.proposerNodeId ?? []),
    )
    for (const nodeId of proposers) {
      const mine = await service.readAll(`${path}/nodes/${nodeId}/blocks?pageSize=7`, 'blocks')
      assert.deepEqual(
        mine,
        blocks.filter((one) => one.proposerDetails?.proposerNodeId === nodeId),
      )
    }
    const middle = blocks[Math.floor(blocks.length / 2)].blockTimestamp
    const after = await service.readAll(
      `${path}/blocks?pageSize=100&startTimestamp=${middle}`,
      'blocks',
    )
    assert.deepEqual(
      after,
      blocks.filter((one) => one.blockTimestamp > middle),
    )
    for (const form of [blocks[5].blockNumber, blocks[5].blockHash])
      assert.deepEqual((await service.get(`${path}/blocks/${form}`)).body, blocks[5])
    for (const height of [99_999_999, 2 ** 31, 2n ** 64n - 1n])
      assert.equal((await service.get(`${path}/blocks/${height}`)).status, 404)
    assert.equal((await service.get(`${path}/nodes/Node-1/blocks`)).status, 400)
  }
})

void test('L1 validators: balances and weights are the node’s', async () => {
  const query = '?includeInactiveL1Validators=true&pageSize=2'
  const ours = await service.readAll(`${base}/l1Validators${query}`, 'validators')
  const theirs = answers.filter(({ method }) => method === 'platform.getL1Validator')
  assert.equal(ours.length, theirs.length)
  for (const { parameters, reply } of theirs) {
    const id = (parameters as Json).validationID
    const one = ours.find(({ validationId }) => validationId === id)
    const node = reply as Json
    assert.equal(one?.remainingBalance, Number(node.balance), id)
    assert.equal(one.weight, Number(node.weight))
    assert.equal(one.nodeId, node.nodeID)
    assert.deepEqual(
      one.remainingBalanceOwner.addresses,
      node.remainingBalanceOwner.addresses.map((text: string) => text.slice(2)),
    )
  }
  const active = await service.readAll(`${base}/l1Validators`, 'validators')
  assert.equal(active.length, theirs.filter(({ reply }) => (reply as Json).balance !== '0').length)
})

provesOperations(
  [service],
  [
    'listSubnets',
    'getSubnetById',
    'listBlockchains',
    'listHistoricalPrimaryNetworkRewards',
    'listLatestPrimaryNetworkBlocks',
    'getBlockById',
    'getSingleValidatorDetails',
    'listL1Validators',
  ],
)
