/** Runs plans; one that fails is made small first, and printed so that it can be run again. */

import { bucketPlanOf, type Plan, planOf, primaryPlanOf } from './plan.ts'
import { shrink } from './shrink.ts'
import { simulatePrimary } from './simulate-primary.ts'
import { type Outcome, simulate } from './simulate.ts'

/** A failure as it is printed: why, the seed, and the smallest plan as JSON. */
export type Failure = { readonly seed: number; readonly wrong: string; readonly plan: Plan }

/** Runs the plan of a seed. */
export async function trySeed(seed: number): Promise<Outcome & { readonly failure?: Failure }> {
  return tryPlan(planOf(seed))
}

/** Runs the plan of a seed for a chain whose history lies in a bucket. */
export async function tryBucketSeed(
  seed: number,
): Promise<Outcome & { readonly failure?: Failure }> {
  return tryPlan(bucketPlanOf(seed))
}

/** Runs the plan of a seed for a primary network. */
export async function tryPrimarySeed(
  seed: number,
): Promise<Outcome & { readonly failure?: Failure }> {
  return tryPlan(primaryPlanOf(seed), simulatePrimary)
}

/** Runs a plan. */
export async function tryPlan(
  plan: Plan,
  run: (plan: Plan) => Promise<Outcome> = simulate,
): Promise<Outcome & { readonly failure?: Failure }> {
  const outcome = await run(plan)
  if (outcome.wrong === undefined) return outcome
  const small = await shrink(plan, async (smaller) => (await run(smaller)).wrong !== undefined)
  const wrong = (await run(small)).wrong ?? outcome.wrong
  return { ...outcome, failure: { seed: plan.seed, wrong, plan: small } }
}

/** Description of a failure for people. */
export function failureText({ seed, wrong, plan }: Failure): string {
  return `seed ${seed}: ${wrong}\nsmallest plan, for test/simulation/kept-plans.ts:\n${JSON.stringify(plan)}`
}
