import assert from 'node:assert/strict'
import { test } from 'node:test'

import { networkNamed } from '../../../../test/support/chains/recorded-network.ts'
import {
  checkAnswers,
  checkManners,
  checkViolations,
} from '../../../../test/support/chains/replay-checks.ts'
import { replay, type Rows } from '../../../../test/support/chains/replayed-network.ts'
import type { StakerRow } from '../batch/staking-rows.ts'

const network = networkNamed('local-two')

void test('replay of local-two: UTXOs, validators, rewards, supply and fees are what its node says', () =>
  checkAnswers(network))

void test('replay of local-two: order of chains, size of batches, cache and restarts change nothing', () =>
  checkManners(network))

void test('replay of local-two: a block left out, repeated or changed stops the chain', () =>
  checkViolations(network))

void test('auto-renewal: restaked rewards stop at the maximum stake, the rest is paid out', () => {
  const renewing = (rows: Rows): StakerRow[] =>
    [...rows.stakers.values()].filter(
      (row) => row.autoRenewal !== undefined && row.rewarded === true,
    )
  const normal = renewing(replay(network, { order: 'PXC', batch: 50, cache: 10 }).rows)
  assert.equal(normal.length, 1)
  const stake = 2_000_000_000_000n
  assert.ok((normal[0]?.weight ?? 0n) > stake + 1_000n)
  const rules = { ...network.rules, maxValidatorStake: stake + 1_000n }
  const { rows } = replay({ ...network, rules }, { order: 'PXC', batch: 50, cache: 10 })
  const [capped] = renewing(rows)
  assert.equal(capped?.weight, stake + 1_000n)
  const { accruedRewards = 0n, accruedDelegateeRewards = 0n } = capped?.autoRenewal ?? {}
  assert.equal(accruedRewards + accruedDelegateeRewards, 1_000n)
})
