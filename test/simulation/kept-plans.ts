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
  {
    found: 'a chain that has no more blocks waited for ever for one to prove what was read again',
    plan: {
      seed: 533,
      history: 5,
      nodes: 1,
      roles: ['all'],
      callers: 1,
      faults: [
        {
          kind: 'node: serves another history',
          atMs: 0,
          forMs: 926,
          target: 8,
          seed: 751_294_329,
        },
        { kind: 'node: restarts', atMs: 18_066, forMs: 5_116, target: 7, seed: 1_785_183_596 },
        { kind: 'node: lies', atMs: 22_904, forMs: 322, target: 5, seed: 553_177_651 },
      ],
    },
  },
]

/** Those of primary networks. */
export const keptPrimaryPlans: readonly KeptPlan[] = [
  {
    found: 'one block that cannot be decoded stopped its chain for good, and was not named',
    plan: {
      seed: 7,
      history: 0,
      nodes: 1,
      roles: ['all'],
      callers: 1,
      faults: [
        {
          kind: 'primary: spent again, rewarded again',
          atMs: 0,
          forMs: 592,
          target: 6,
          seed: 445_811_903,
        },
      ],
    },
  },
  {
    found: 'a chain was called live while its node did not answer the question for its head',
    plan: {
      seed: 42,
      history: 0,
      nodes: 1,
      roles: ['all'],
      callers: 1,
      faults: [
        { kind: 'node: unreachable', atMs: 26_440, forMs: 20_598, target: 1, seed: 856_045_316 },
        { kind: 'node: hangs', atMs: 23_325, forMs: 17_981, target: 6, seed: 1_659_269_560 },
      ],
    },
  },
  {
    found:
      'a process that stood by at the height of the one that writes answered how far the traces are',
    plan: {
      seed: 1_170,
      history: 6,
      nodes: 1,
      roles: ['index', 'index', 'serve', 'serve'],
      callers: 1,
      faults: [
        { kind: 'process: frozen', atMs: 23_936, forMs: 4_187, target: 0, seed: 893_553_350 },
        { kind: 'node: slow', atMs: 11_557, forMs: 3_359, target: 4, seed: 131_568_175 },
        { kind: 'node: garbles replies', atMs: 11_126, forMs: 319, target: 11, seed: 943_827_382 },
        {
          kind: 'node: garbles replies',
          atMs: 11_694,
          forMs: 8_122,
          target: 10,
          seed: 533_745_998,
        },
      ],
    },
  },
]
