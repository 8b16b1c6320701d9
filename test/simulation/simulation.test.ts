/**
 * A deployment in one process and virtual time: nodes that misbehave, processes that end, stores
 * that fail, callers who read while it happens. A seed decides everything.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { bucketFaults, faultKinds, type FaultKind } from './fault-kinds.ts'
import { keptPlans } from './kept-plans.ts'
import { bucketPlanOf, type Plan, planOf } from './plan.ts'
import { simulate } from './simulate.ts'
import { failureText, tryPlan, trySeed } from './try-seed.ts'

/** Enough to meet most kinds of faults; `npm run soak -- --only simulation` runs thousands. */
const seeds = 3

void test('simulation: whatever goes wrong, answers are right and the rows of an undisturbed run', async () => {
  let answers = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const outcome = await trySeed(seed)
    assert.equal(outcome.failure && failureText(outcome.failure), undefined)
    answers += outcome.answers
  }
  assert.ok(answers > 50 * seeds, `${answers} answers were judged`)
})

void test('simulation: history in a bucket that fails in every way is whole, and no answer is wrong', async () => {
  for (const [at, kind] of bucketFaults.entries()) {
    const lasting = { kind, atMs: 0, forMs: 25_000, target: 0, seed: at + 1 }
    const roles = ['index', 'serve'] as const
    const plan = { ...bucketPlanOf(at + 1), history: 0, roles }
    const { tally, failure } = await tryPlan({ ...plan, faults: [lasting, ...plan.faults] })
    assert.equal(failure && failureText(failure), undefined)
    assert.ok(tally.has(kind), kind)
  }
})

void test('simulation: plans that failed once pass', async () => {
  for (const { found, plan } of keptPlans) {
    const { failure } = await tryPlan(plan)
    assert.equal(failure && failureText(failure), undefined, found)
  }
})

void test('simulation: every kind of fault takes effect', async () => {
  const counts = new Map<FaultKind, number>()
  for (const plan of plansOfAllKinds()) {
    const { tally, failure } = await tryPlan(plan)
    assert.equal(failure && failureText(failure), undefined)
    for (const [kind, count] of tally) counts.set(kind, (counts.get(kind) ?? 0) + count)
  }
  assert.deepEqual(
    faultKinds.filter((kind) => !counts.has(kind)),
    [],
  )
})

void test('simulation: a seed decides everything', async () => {
  const [first, second] = [await simulate(planOf(7)), await simulate(planOf(7))]
  assert.deepEqual(first, second)
})

/** Plans of a few kinds each, which last long enough for each to be met. */
function plansOfAllKinds(): Plan[] {
  const together = 4
  const plans: Plan[] = []
  for (let from = 0; from < faultKinds.length; from += together) {
    const faults = faultKinds.slice(from, from + together).map((kind, at) => ({
      kind,
      atMs: 1_000 + at * 6_500,
      forMs: 6_000,
      target: at,
      seed: from + at + 1,
    }))
    plans.push({ seed: from + 1, history: 0, nodes: 1, roles: ['all', 'all'], callers: 1, faults })
  }
  return plans
}
