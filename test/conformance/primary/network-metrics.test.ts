/** Series of stakers and of what L1 validators pay, against what recorded nodes said. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { AvaCloudSDK } from '@avalabs/avacloud-sdk'
import { Avalanche } from '@avalanche-sdk/chainkit'

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
const scaled = await primaryService({}, 'postgres', proposalsPath)
const answers = { demo: recordedAnswers(), five: recordedAnswers(proposalsPath) }
const primary = '11111111111111111111111111111111LpoYY'
const metricsOf = '/v2/networks/fuji/metrics'

const newest = async (service: typeof demo, path: string): Promise<number> => {
  const { status, body } = await service.get(path)
  assert.equal(status, 200, path)
  return body.results[0]?.value
}

void test('staking metrics: counts and weights of now are the node’s', async () => {
  for (const [name, service] of [
    ['demo', demo],
    ['five', five],
  ] as const) {
    const theirs: Json[] = replyOf(
      answers[name],
      'platform.getCurrentValidators',
      (parameters) => parameters.subnetID === primary && parameters.nodeIDs === undefined,
    ).validators
    const sum = (key: string): number => theirs.reduce((all, one) => all + Number(one[key]), 0)
    assert.equal(await newest(service, `${metricsOf}/validatorCount`), theirs.length)
    assert.equal(await newest(service, `${metricsOf}/validatorWeight`), sum('weight'))
    assert.equal(await newest(service, `${metricsOf}/delegatorWeight`), sum('delegatorWeight'))
    assert.equal(await newest(service, `${metricsOf}/delegatorCount`), sum('delegatorCount'))
    const listed = await service.readAll(
      '/v1/networks/fuji/delegators?delegationStatus=active',
      'delegators',
    )
    assert.equal(await newest(service, `${metricsOf}/delegatorCount`), listed.length)
  }
})

void test('staking metrics: an L1 counts its active validators, from its first day on', async () => {
  const { validators } = (await five.get('/v1/networks/fuji/l1Validators?pageSize=100')).body
  const subnets = new Set<string>(validators.map(({ subnetId }: Json) => subnetId))
  assert.ok(subnets.size > 0)
  for (const subnetId of subnets) {
    const mine = validators.filter((one: Json) => one.subnetId === subnetId)
    const query = `?subnetId=${subnetId}`
    assert.equal(await newest(five, `${metricsOf}/validatorCount${query}`), mine.length)
    const weight = mine.reduce((sum: number, one: Json) => sum + one.weight, 0)
    assert.equal(await newest(five, `${metricsOf}/validatorWeight${query}`), weight)
  }
})

void test('L1 fees: deposits less what is left are the fees paid, to the last nAVAX', async () => {
  const transactions = await five.readAll(
    '/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=100',
    'transactions',
  )
  const balances = new Map<string, bigint>(
    answers.five
      .filter(({ method }) => method === 'platform.getL1Validator')
      .map(({ parameters, reply }) => [
        (parameters as Json).validationID,
        BigInt((reply as Json).balance),
      ]),
  )
  // Of those that were never disabled nothing came back: what is not left was paid.
  const running = new Set([...balances].flatMap(([id, left]) => (left > 0n ? id : [])))
  const about = transactions.filter(({ l1ValidatorDetails }) => l1ValidatorDetails !== undefined)
  for (const { txType, l1ValidatorDetails } of about)
    if (txType === 'DisableL1ValidatorTx') running.delete(l1ValidatorDetails[0].validationId)
  const deposits = about.filter(({ amountL1ValidatorBalanceBurned: burned }) => burned.length > 0)
  let compared = 0
  for (const { l1ValidatorDetails, amountL1ValidatorBalanceBurned } of deposits) {
    const ids: string[] = l1ValidatorDetails.map((one: Json) => one.validationId)
    const others = deposits.filter((one) =>
      one.l1ValidatorDetails.some((detail: Json) => ids.includes(detail.validationId)),
    )
    if (others.length > 1 || !ids.every((id) => running.has(id))) continue
    const left = ids.reduce((sum, id) => sum + (balances.get(id) ?? 0n), 0n)
    const path = (id: string): string =>
      `/v2/validation/${id}/metrics/validationCumulativeFeesDaily`
    const paid = await Promise.all(ids.map((id) => newest(five, path(id))))
    const deposit = BigInt(amountL1ValidatorBalanceBurned[0].amount)
    assert.equal(
      paid.reduce((sum, one) => sum + BigInt(one), 0n),
      deposit - left,
    )
    compared += ids.length
  }
  assert.ok(compared > 5, `compared: ${compared}`)
  const total = await newest(five, '/v2/validators/metrics/totalCumulativeFeesDaily')
  assert.equal(await newest(five, '/v2/validators/metrics/totalValidatorFeesDaily'), total)
})

void test('L1 fees: parts sum to the whole; each path answers', async () => {
  const { validators } = (
    await five.get('/v1/networks/fuji/l1Validators?includeInactiveL1Validators=true&pageSize=100')
  ).body
  const total = await newest(five, '/v2/validators/metrics/totalCumulativeFeesDaily')
  const removed = answers.five
    .filter(({ method }) => method === 'platform.getL1Validator')
    .map(({ parameters }) => (parameters as Json).validationID)
  const ids = new Set<string>([...validators.map((one: Json) => one.validationId), ...removed])
  let sum = 0
  let paying = 0
  for (const id of ids) {
    const paid = await newest(five, `/v2/validation/${id}/metrics/validationCumulativeFeesDaily`)
    assert.equal(await newest(five, `/v2/validation/${id}/metrics/validationFeesDaily`), paid)
    sum += paid
    if (paid > 0) paying++
  }
  assert.ok(sum > 0 && sum <= total)
  const counted = await newest(five, '/v2/validators/metrics/totalPayingValidatorsDaily')
  assert.ok(counted >= paying)
  const bySubnet = new Map<string, number>()
  const subnets = await five.readAll('/v1/networks/fuji/subnets', 'subnets')
  for (const { subnetId, isL1 } of subnets) {
    if (!isL1) continue
    const path = `/v2/subnet/${subnetId}/metrics`
    bySubnet.set(subnetId, await newest(five, `${path}/perSubnetCumulativeFeesPaid`))
    assert.ok((await newest(five, `${path}/perSubnetPayingValidators`)) > 0)
    await newest(five, `${path}/perSubnetDailyFeesPaid`)
  }
  assert.equal(
    [...bySubnet.values()].reduce((all, one) => all + one, 0),
    total,
  )
  const [{ nodeId }] = validators
  assert.ok((await newest(five, `/v2/validator/${nodeId}/metrics/perNodeDailyFeesPaid`)) > 0)
})

void test('network metrics: PostgreSQL gives the bytes SQLite gives; wrong ids are 400', async () => {
  const { validators } = (await five.get('/v1/networks/fuji/l1Validators')).body
  const [{ validationId, nodeId, subnetId }] = validators
  const paths = [
    `${metricsOf}/validatorWeight`,
    `${metricsOf}/delegatorCount?pageSize=1`,
    `${metricsOf}/validatorCount?subnetId=${subnetId}`,
    '/v2/validators/metrics/totalPayingValidatorsDaily',
    `/v2/validation/${validationId}/metrics/validationFeesDaily`,
    `/v2/validator/${nodeId}/metrics/perNodeCumulativeFeesPaid`,
    `/v2/subnet/${subnetId}/metrics/perSubnetDailyFeesPaid`,
    '/v2/validators/metrics/totalValidatorFeesDaily?startTimestamp=9999999999',
  ]
  for (const path of paths)
    assert.deepEqual((await scaled.get(path)).body, (await five.get(path)).body, path)
  assert.equal((await five.get(`/v2/subnet/${primary}/metrics/perSubnetDailyFeesPaid`)).status, 404)
  assert.equal((await five.get('/v2/validation/x/metrics/validationFeesDaily')).status, 400)
  assert.equal((await five.get('/v2/validator/x/metrics/perNodeDailyFeesPaid')).status, 400)
  assert.equal((await five.get(`${metricsOf}/burned`)).status, 400)
})

void test('clients: both read every series', async () => {
  const { validators } = (await five.get('/v1/networks/fuji/l1Validators')).body
  const [{ validationId: l1ValidationId, nodeId, subnetId }] = validators
  const serverURL = five.url
  for (const { metrics } of [
    new Avalanche({ network: 'fuji', enableTelemetry: false }),
    new AvaCloudSDK({ network: 'fuji', serverURL }),
  ]) {
    const options = { serverURL }
    for (const metric of ['validatorCount', 'delegatorWeight'] as const) {
      let points = 0
      const request = { network: 'fuji', metric, subnetId: primary } as const
      const pages = await metrics.networks.getStakingMetrics(request, options)
      for await (const page of pages) points += page.result.results.length
      assert.ok(points > 0)
    }
    const { l1Validators } = metrics
    const results = [
      await l1Validators.listMetrics({ metric: 'totalCumulativeFeesDaily' }, options),
      await l1Validators.getMetricsByValidationId(
        { metric: 'validationFeesDaily', l1ValidationId },
        options,
      ),
      await l1Validators.getMetricsByNodeId({ metric: 'perNodeDailyFeesPaid', nodeId }, options),
      await l1Validators.getMetricsBySubnetId(
        { metric: 'perSubnetPayingValidators', subnetId },
        options,
      ),
    ]
    for (const { results: points } of results) assert.ok(points.length > 0)
  }
})

provesOperations(
  [demo, five],
  [
    'getStakingMetrics',
    'getTotalL1ValidatorMetrics',
    'getMetricsByValidationId',
    'getMetricsByNodeId',
    'getMetricsBySubnetId',
  ],
)
