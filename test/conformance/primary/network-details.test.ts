/**
 * A network in sum, who validated it, assets, last activity, funds of L1s: against recorded nodes.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { AvaCloudSDK } from '@avalabs/avacloud-sdk'
import { Avalanche } from '@avalanche-sdk/chainkit'

import { reportL1s, watchedIds } from '../../../src/service/warp/watch-networks.ts'
import { createGauges } from '../../../src/telemetry/gauges.ts'
import type { Json } from '../../support/services/evm-service.ts'
import {
  primaryService,
  proposalsPath,
  recordedAnswers,
  replyOf,
} from '../../support/services/primary-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'

const demo = await primaryService()
const five = await primaryService({}, 'sqlite', proposalsPath)
const scaled = await primaryService({}, 'postgres')
const answers = recordedAnswers()
const base = '/v1/networks/fuji'
const primary = '11111111111111111111111111111111LpoYY'
const chainkit = new Avalanche({ network: 'fuji', enableTelemetry: false })
const avacloud = new AvaCloudSDK({ network: 'fuji', serverURL: demo.url })
const options = { serverURL: demo.url }

void test('network details: sums are those of the node’s validators and supply', async () => {
  const { body } = await demo.get(base)
  const theirs: Json[] = replyOf(
    answers,
    'platform.getCurrentValidators',
    ({ subnetID, nodeIDs }) => subnetID === primary && nodeIDs === undefined,
  ).validators
  const sum = (key: string): bigint => theirs.reduce((all, one) => all + BigInt(one[key] ?? 0), 0n)
  const { validatorDetails, delegatorDetails } = body
  assert.equal(validatorDetails.validatorCount, theirs.length)
  assert.equal(validatorDetails.totalAmountStaked, String(sum('weight')))
  assert.equal(delegatorDetails.totalAmountStaked, String(sum('delegatorWeight')))
  assert.equal(delegatorDetails.delegatorCount, Number(sum('delegatorCount')))
  assert.equal(validatorDetails.estimatedAnnualStakingReward, String(sum('potentialReward')))
  const { supply } = replyOf(answers, 'platform.getCurrentSupply')
  assert.equal(body.currentSupply, supply)
  const ratio = Number(sum('weight') + sum('delegatorWeight')) / Number(supply)
  assert.ok(Math.abs(Number(validatorDetails.stakingRatio) - ratio) < 1e-12)
  const versions: Json[] = validatorDetails.stakingDistributionByVersion
  const staked = versions.reduce((all, one) => all + BigInt(one.amountStaked), 0n)
  assert.equal(staked, sum('weight') + sum('delegatorWeight'))
  const counted = versions.reduce((all, { validatorCount }) => all + validatorCount, 0)
  assert.equal(counted, theirs.length)
  // The formula of rewards, at both ends of the range.
  const remaining = 720_000_000_000_000_000 - Number(supply)
  const yearly = (rate: number): string => ((remaining / Number(supply)) * rate * 100).toFixed(1)
  assert.equal(Number(body.apr.longest).toFixed(1), yearly(0.12))
  assert.equal(Number(body.apr.shortest).toFixed(1), yearly(0.1 + (0.02 * 14) / 365))
})

void test('supply: rewards and stake are the node’s, and the answer names what is not indexed', async () => {
  for (const [service, path] of [
    [demo, undefined],
    [five, proposalsPath],
  ] as const) {
    const recorded = recordedAnswers(path)
    const refused = await service.get('/v1/avax/supply')
    assert.equal(refused.status, 404)
    assert.match(refused.body.message, /is not known.*totalCBurned: the C-Chain is not among/)
    const { body } = await service.get('/v1/avax/supply?partial=true')
    const nano = (text: string): bigint => {
      const [whole = '', decimals = ''] = text.split('.')
      return BigInt(whole + decimals.padEnd(9, '0'))
    }
    const { supply } = replyOf(recorded, 'platform.getCurrentSupply')
    const { body: sums } = await service.get(base)
    const running = BigInt(sums.validatorDetails.estimatedAnnualStakingReward)
    assert.equal(nano(body.genesisUnlock) + nano(body.totalRewards), BigInt(supply) - running)
    const { validatorDetails, delegatorDetails } = sums
    const staked = [validatorDetails, delegatorDetails].map((one) => BigInt(one.totalAmountStaked))
    assert.equal(nano(body.totalStaked), (staked[0] ?? 0n) + (staked[1] ?? 0n))
    const fees = await service.get('/v2/validators/metrics/totalCumulativeFeesDaily')
    const [newest] = fees.body.results
    assert.equal(nano(body.l1ValidatorFees), BigInt(newest?.value ?? 0))
    assert.ok(nano(body.totalPBurned) > nano(body.l1ValidatorFees))
    assert.ok(nano(body.totalXBurned) >= 0n)
    // No EVM chain is indexed here: a sum without its fees would be wrong.
    assert.equal(body.totalCBurned, undefined)
    assert.equal(body.totalSupply, undefined)
    assert.match(body.notTold.join(), /totalCBurned: the C-Chain is not among the EVM chains/)
  }
  assert.equal((await demo.get('/v1/avax/supply?network=mainnet')).status, 404)
})

void test('subnet validators by date: those whose time overlaps, with the owners of rewards', async () => {
  const path = `/v2/subnets/${primary}/validators:getAddresses`
  const whole = await demo.readAll(`${path}?pageSize=2`, 'addresses')
  const validators = await demo.readAll(`${base}/validators?subnetId=${primary}`, 'validators')
  assert.equal(whole.length, validators.length)
  const [newest] = validators
  const later = newest.startTimestamp - 1
  const overlapping = validators.filter(
    ({ startTimestamp, endTimestamp }) => startTimestamp < later && endTimestamp > later - 10,
  )
  const query = `?startTimestamp=${later - 10}&endTimestamp=${later}`
  assert.equal((await demo.readAll(path + query, 'addresses')).length, overlapping.length)
  assert.equal((await demo.get('/v2/subnets/x/validators:getAddresses')).status, 400)
})

void test('assets: names are the node’s, transactions move them', async () => {
  const described = answers.filter(({ method }) => method === 'avm.getAssetDescription')
  assert.ok(described.length > 3)
  const x = `${base}/blockchains/x-chain`
  const everything = await demo.readAll(`${x}/transactions?pageSize=100`, 'transactions')
  for (const { reply } of described) {
    const { assetID, name, symbol, denomination } = reply as Json
    const { body } = await demo.get(`${x}/assets/${assetID}`)
    assert.deepEqual(
      [body.assetId, body.name, body.symbol, body.denomination],
      [assetID, name, symbol, Number(denomination)],
    )
    const path = `${x}/assets/${assetID}/transactions`
    const listed = await demo.readAll(`${path}?pageSize=3`, 'transactions')
    const touches = (one: Json): boolean =>
      [...one.consumedUtxos, ...one.emittedUtxos].some(({ asset }) => asset.assetId === assetID) ||
      one.assetCreated?.assetId === assetID
    const wanted = everything.filter(touches)
    assert.deepEqual(
      listed.map(({ txHash }) => txHash),
      wanted.map(({ txHash }) => txHash),
      symbol,
    )
    for (const type of ['BaseTx', 'CreateAssetTx', 'ExportTx']) {
      const ofType = await demo.readAll(`${path}?txTypes=${type}`, 'transactions')
      assert.deepEqual(
        ofType.map(({ txHash }) => txHash),
        wanted.filter(({ txType }) => txType === type).map(({ txHash }) => txHash),
        `${symbol} ${type}`,
      )
    }
  }
  assert.equal((await demo.get(`${x}/assets/${primary}`)).status, 404)
  assert.equal((await demo.get(`${base}/blockchains/p-chain/assets/${primary}`)).status, 400)
})

void test('last activity: the newest UTXO made or spent, of one address and of many', async () => {
  for (const chain of ['p-chain', 'x-chain', 'c-chain']) {
    const at = `${base}/blockchains/${chain}`
    const everything = await demo.readAll(`${at}/transactions?pageSize=100`, 'transactions')
    const owners = new Set<string>(
      everything.flatMap((one) =>
        [...one.consumedUtxos, ...one.emittedUtxos].flatMap(({ addresses }) => addresses),
      ),
    )
    for (const owner of owners) {
      const path = `${at}/lastActivityTimestampByAddresses`
      const { body } = await demo.get(`${path}?addresses=${owner}`)
      const has = (utxo: Json): boolean => utxo.addresses.includes(owner)
      const last = everything.find((one) => [...one.consumedUtxos, ...one.emittedUtxos].some(has))
      assert.equal(body.txHash, last?.txHash, `${chain} ${owner}`)
      assert.equal(body.timestamp, last.blockTimestamp)
      assert.equal(body.isConsumed, last.consumedUtxos.some(has))
      const same = await demo.post(path, { addresses: owner })
      assert.deepEqual(same.body, body)
    }
  }
  const path = `${base}/blockchains/p-chain/lastActivityTimestampByAddresses`
  assert.equal((await demo.get(path)).status, 400)
  const nobody = 'local1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqcuf0mz'
  assert.ok([400, 404].includes((await demo.get(`${path}?addresses=${nobody}`)).status))
})

void test('L1 funds: balances and the fee are the node’s, the shortest comes first', async () => {
  const recorded = recordedAnswers(proposalsPath)
  const { price } = replyOf(recorded, 'platform.getValidatorFeeState')
  const theirs = new Map<string, Json>(
    recorded
      .filter(({ method }) => method === 'platform.getL1Validator')
      .map(({ parameters, reply }) => [(parameters as Json).validationID, reply]),
  )
  const active = [...theirs.values()].filter(({ balance }) => balance !== '0')
  const path = `${base}/l1Validators:listFunds`
  const ours = await five.readAll(`${path}?pageSize=3`, 'validators')
  assert.equal(ours.length, active.length)
  let before = 0
  for (const { validationId, remainingBalance, daysLeft } of ours) {
    assert.equal(remainingBalance, theirs.get(validationId).balance)
    const expected = Number(remainingBalance) / Number(price) / 86_400
    assert.ok(Math.abs(daysLeft - expected) <= 0.01, `${daysLeft} ${expected}`)
    assert.ok(daysLeft >= before)
    before = daysLeft
  }
  const { body } = await five.get(path)
  assert.equal(body.feeRate.perSecond, String(price))
  assert.equal(body.feeRate.activeValidators, active.length)
  const subnets = await five.readAll(`${base}/subnets:listFunds?pageSize=1`, 'subnets')
  const total = subnets.reduce((sum, one) => sum + BigInt(one.totalBalance), 0n)
  assert.equal(
    total,
    active.reduce((sum, { balance }) => sum + BigInt(balance), 0n),
  )
  for (const { subnetId, activeValidatorCount, daysLeft } of subnets) {
    const mine = await five.readAll(`${path}?subnetId=${subnetId}`, 'validators')
    assert.equal(mine.length, activeValidatorCount)
    assert.equal(daysLeft, mine[0]?.daysLeft)
  }
})

void test('L1 funds: gauges of a watched L1 say what the operation says', async () => {
  const gauges = createGauges()
  const { subnets } = (await five.get(`${base}/subnets:listFunds`)).body
  const [first] = subnets
  const ids = watchedIds([first.subnetId, primary])
  await reportL1s([five.network], gauges, ids)
  const text = await gauges.text()
  const valueOf = (name: string): number =>
    Number(new RegExp(`^${name}\\{subnet="${first.subnetId}"\\} (.+)$`, 'm').exec(text)?.[1])
  assert.equal(valueOf('firn_subnet_active_validators'), first.activeValidatorCount)
  assert.equal(valueOf('firn_subnet_balance_navax'), Number(first.totalBalance))
  assert.equal(valueOf('firn_subnet_lasts_seconds'), first.daysLeft * 86_400)
  assert.ok(!text.includes(primary))
  assert.throws(() => watchedIds(['x']), /l1.watch must be subnet ids/)
})

void test('network details: PostgreSQL gives the bytes SQLite gives', async () => {
  const { assetID } = replyOf(answers, 'avm.getAssetDescription') as Json
  const [validator] = (await demo.get(`${base}/validators?validationStatus=active`)).body.validators
  const address = validator.potentialRewards.rewardAddresses[0]
  const paths = [
    base,
    `/v2/subnets/${primary}/validators:getAddresses?pageSize=2`,
    `${base}/blockchains/x-chain/assets/${assetID}`,
    `${base}/blockchains/x-chain/assets/${assetID}/transactions?txTypes=BaseTx&txTypes=ExportTx`,
    `${base}/blockchains/p-chain/lastActivityTimestampByAddresses?addresses=${address}`,
    `${base}/l1Validators:listFunds?pageSize=2`,
    `${base}/subnets:listFunds`,
    '/v1/avax/supply?partial=true',
  ]
  for (const path of paths) {
    const [own, other] = await Promise.all([demo.get(path), scaled.get(path)])
    assert.equal(own.status, 200, path)
    assert.deepEqual(other.body, own.body, path)
  }
})

void test('clients: both read the network, assets, and validators by date', async () => {
  const { assetID: assetId } = replyOf(answers, 'avm.getAssetDescription') as Json
  for (const { data, metrics } of [chainkit, avacloud]) {
    const { primaryNetwork } = data
    const network = await primaryNetwork.getNetworkDetails({}, options)
    assert.ok(network.validatorDetails.validatorCount > 0)
    const asset = await primaryNetwork.getAssetDetails(
      { blockchainId: 'x-chain', assetId },
      options,
    )
    assert.equal(asset.assetId, assetId)
    const request = { blockchainId: 'x-chain', assetId, pageSize: 5 } as const
    let listed = 0
    for await (const page of await primaryNetwork.transactions.listAssetTransactions(
      request,
      options,
    ))
      listed += page.result.transactions.length
    assert.ok(listed > 0)
    let owners = 0
    for await (const page of await metrics.subnets.getValidators({ subnetId: primary }, options))
      owners += page.result.addresses.length
    assert.ok(owners > 0)
  }
  const [validator] = (await demo.get(`${base}/validators?validationStatus=active`)).body.validators
  const addresses = validator.potentialRewards.rewardAddresses[0]
  const { utxos } = chainkit.data.primaryNetwork
  const one = await utxos.getLastActivityTimestampByAddresses(
    { blockchainId: 'p-chain', addresses },
    options,
  )
  const same = await utxos.getLastActivityTimestampByAddressesV2(
    { blockchainId: 'p-chain', primaryNetworkAddressesBodyDto: { addresses } },
    options,
  )
  assert.deepEqual(one, same)
})

provesOperations(
  [demo, five],
  [
    'getNetworkDetails',
    'getAvaxSupply',
    'getValidatorsByDateRange',
    'getAssetDetails',
    'listAssetTransactions',
    'getLastActivityTimestampByAddresses',
    'getLastActivityTimestampByAddressesV2',
    'listL1ValidatorFunds',
    'listL1Funds',
  ],
)
