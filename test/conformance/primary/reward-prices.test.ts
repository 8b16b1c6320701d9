/** Values of rewards by an operator's file of prices. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { filePrices } from '../../../src/api/prices/price-file.ts'
import type { Clock } from '../../../src/core/world.ts'
import { recordedMoment } from '../../support/nodes/recorded-node.ts'
import {
  fileWorld,
  primaryService,
  recordedAnswers,
} from '../../support/services/primary-service.ts'

const moment = recordedMoment(recordedAnswers())
const day = new Date(moment * 1_000).toISOString().slice(0, 10)
// AvalancheGo's local network gives its C-Chain the id 43112.
const file = `43112,native,${day},usd,12.75
43112,native,,usd,99
43113,native,${day},usd,1
fiat,usd,${day},eur,0.5
`
const time = { nowMs: (moment + 2 * 86_400) * 1_000 }
const clock: Clock = { ...fileWorld.clock, now: () => time.nowMs }
const service = await primaryService({ prices: filePrices('prices.csv', file), clock })
const base = '/v1/networks/fuji'

const completed = await service.readAll(
  `${base}/validators?validationStatus=completed`,
  'validators',
)
const nodeIds = completed.map(({ nodeId }) => nodeId).join(',')
const rewards = `${base}/rewards?nodeIds=${nodeIds}`

void test('rewards: each has the price of AVAX on its day, in the requested currency', async () => {
  const inDollars = await service.readAll(rewards, 'historicalRewards')
  assert.ok(inDollars.length > 0)
  for (const { reward } of inDollars)
    assert.deepEqual(reward.historicalPrice, { currencyCode: 'usd', value: '12.75' })
  const inEuro = await service.readAll(`${rewards}&currency=eur`, 'historicalRewards')
  for (const { reward } of inEuro)
    assert.deepEqual(reward.historicalPrice, { currencyCode: 'eur', value: '6.375' })
})

void test('rewards: a reward of the last day has no price yet', async () => {
  time.nowMs = moment * 1_000
  const all = await service.readAll(rewards, 'historicalRewards')
  assert.ok(all.length > 0)
  for (const { reward } of all) assert.ok(!('historicalPrice' in reward))
})
