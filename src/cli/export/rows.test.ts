import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { HistoricalReward } from '../../shape/primary/reward.ts'
import { rewardRow } from './rows.ts'

const reward: Omit<HistoricalReward, 'reward'> = {
  addresses: ['fuji1a'],
  txHash: 'stake',
  amountStaked: '2000000000000',
  nodeId: 'NodeID-x',
  stakingType: 'autoRenewed',
  startTimestamp: 1_795_265_591,
  endTimestamp: 1_795_265_636,
  rewardType: 'VALIDATOR',
  utxoId: 'utxo',
  outputIndex: 0,
  rewardTxHash: 'reward',
}
const asset = {
  assetId: 'avax',
  name: 'Avalanche',
  symbol: 'AVAX',
  denomination: 9,
  type: 'secp256k1',
  amount: '198443123',
} as const

void test('reward row: worth is amount times price, exact to the last digit', () => {
  const historicalPrice = { currencyCode: 'eur', value: '25.505' } as const
  const row = rewardRow({ ...reward, reward: { ...asset, historicalPrice } })
  assert.equal(row.reward, '0.198443123')
  assert.equal(row.price, '25.505')
  // 198443123 × 25505 = 5061291852115, with 9 + 3 decimals.
  assert.equal(row.value, '5.061291852115')
  assert.equal(row.currency, 'eur')
  assert.equal(row.stakingType, 'autoRenewed')
})

void test('reward row: without a price the columns are empty', () => {
  const { price, value, currency } = rewardRow({ ...reward, reward: asset })
  assert.deepEqual([price, value, currency], ['', '', ''])
})
