import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { l1Cost, l1ExcessAfter } from '../../../../core/l1-fee.ts'
import { primaryReward } from '../../batch/rules.ts'
import { potentialReward, rulesAtStart, shareOf } from './reward-amounts.ts'

function vectors(name: string): readonly Readonly<Record<string, string>>[] {
  const url = new URL(`../../../../../vectors/primary/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8'))
}

void test('potential reward: every case of the node gives the node’s amount', () => {
  const helicon = 1_800_000_000
  for (const entry of vectors('rewards')) {
    const base = {
      ...primaryReward,
      minConsumptionRate: BigInt(entry['minConsumptionRate'] ?? 0),
      maxConsumptionRate: BigInt(entry['maxConsumptionRate'] ?? 0),
    }
    const after = entry['nsAfterHelicon']
    const start = helicon + Number(BigInt(after ?? 0) / 1_000_000_000n)
    const rules = after === undefined ? base : rulesAtStart(base, helicon, start)
    if (entry['effectiveMinRate'] !== undefined) {
      assert.equal(
        Number(rules.minConsumptionRate),
        entry['effectiveMinRate'],
        String(entry['name']),
      )
    }
    const stake = {
      durationSeconds: BigInt(entry['durationNs'] ?? 0) / 1_000_000_000n,
      weight: BigInt(entry['stakeNAvax'] ?? 0),
    }
    const reward = potentialReward(rules, stake, BigInt(entry['currentSupplyNAvax'] ?? 0))
    assert.equal(String(reward), entry['expected'], JSON.stringify(entry))
  }
})

void test('L1 fee: every case of the node gives the node’s cost and excess', () => {
  for (const entry of vectors('l1-validator-fees')) {
    const rules = {
      target: BigInt(entry['target'] ?? 0),
      minPrice: BigInt(entry['minPrice'] ?? 0),
      excessConversionConstant: BigInt(entry['excessConversionConstant'] ?? 0),
    }
    const state = {
      active: BigInt(entry['activeValidators'] ?? 0),
      excess: BigInt(entry['excess'] ?? 0),
    }
    const seconds = BigInt(entry['seconds'] ?? 0)
    assert.equal(
      String(l1Cost(rules, state, seconds)),
      entry['expectedCost'],
      String(entry['name']),
    )
    assert.equal(String(l1ExcessAfter(rules, state, seconds)), entry['expectedExcess'])
  }
})

void test('split: the fee rounds up, and huge amounts divide first', () => {
  // Source: avalanchego vms/platformvm/reward/calculator_test.go TestSplit.
  const cases: readonly [bigint, number, bigint][] = [
    [1_000n, 500_000, 500n],
    [1n, 1_000_000, 1n],
    [1n, 999_999, 1n],
    [1n, 1, 1n],
    [1n, 0, 0n],
    [9_223_374_036_974_675_809n, 2, 18_446_748_749_757n],
    [9_223_374_036_974_675_809n, 1_000_000, 9_223_374_036_974_675_809n],
    [9_223_372_036_855_275_808n, 999_998, 9_223_353_590_111_202_098n],
    [9_223_372_036_855_275_808n, 2, 18_446_744_349_518n],
  ]
  for (const [amount, shares, expected] of cases) {
    assert.equal(shareOf(amount, shares), expected, `${amount} ${shares}`)
  }
})
