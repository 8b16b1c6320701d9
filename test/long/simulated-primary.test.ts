/** A primary network in virtual time: blocks that contradict, an index that skips, and all the rest. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { type FaultKind, primaryFaults } from '../simulation/fault-kinds.ts'
import { keptPrimaryPlans } from '../simulation/kept-plans.ts'
import { simulatePrimary } from '../simulation/simulate-primary.ts'
import { failureText, tryPlan, tryPrimarySeed } from '../simulation/try-seed.ts'

/** `npm run soak -- --only simulation` runs thousands. */
const seeds = 3

void test('simulation: a primary network ends in the rows of an undisturbed run', async () => {
  for (let seed = 1; seed <= seeds; seed++) {
    const { failure } = await tryPrimarySeed(seed)
    assert.equal(failure && failureText(failure), undefined)
  }
})

void test('simulation: plans of primary networks that failed once pass', async () => {
  for (const { found, plan } of keptPrimaryPlans) {
    const { failure } = await tryPlan(plan, simulatePrimary)
    assert.equal(failure && failureText(failure), undefined, found)
  }
})

void test('simulation: every lie of a primary network takes effect, and its reason is its own', async () => {
  for (const kind of primaryFaults) {
    const faults = [{ kind, atMs: 500, forMs: 12_000, target: 0, seed: 5 }]
    const plan = { seed: 1, history: 0, nodes: 1, roles: ['all'], callers: 1, faults } as const
    const { failure, tally } = await tryPlan(plan, simulatePrimary)
    assert.equal(failure && failureText(failure), undefined)
    assert.ok((tally.get(kind satisfies FaultKind) ?? 0) > 0, kind)
  }
})
