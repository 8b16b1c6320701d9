/**
 * Plans that failed once, as small as they were made then: they run in every test from then on.
 *
 * A seed is kept as its plan, since what a seed draws changes when a kind of fault is added.
 */

import type { Plan } from './plan.ts'

/** A plan, and what it found. */
export type KeptPlan = { readonly found: string; readonly plan: Plan }

/** All of them. */
export const keptPlans: readonly KeptPlan[] = [
  {
    found: 'answers from a store without a block were called complete up to height 0',
    plan: {
      seed: 288,
      history: 0,
      nodes: 1,
      roles: ['all'],
      callers: 2,
      faults: [
        { kind: 'store: full', atMs: 180, forMs: 1_845, target: 10, seed: 1_422_356_299 },
        { kind: 'store: full', atMs: 3_238, forMs: 22_947, target: 11, seed: 1_637_552_213 },
      ],
    },
  },
]
