/**
 * Tries seeds of simulated deployments, from one to another, and prints what came of each: a line of
 * JSON, the outcomes of one step.
 *
 *   node soak/seeds.ts chains 1 41
 *
 * A process of its own: what a deployment killed stays in memory, some 40 MB a seed.
 */

import { failureText, tryBucketSeed, tryPrimarySeed, trySeed } from '../test/simulation/try-seed.ts'
import type { Step } from './report.ts'

/** Kinds of the two simulations. */
export const seedKinds = {
  chains: 'simulated EVM chains, seeds',
  buckets: 'simulated EVM chains with history in a bucket, seeds',
  primary: 'simulated primary networks, seeds',
} as const

const tries = { chains: trySeed, buckets: tryBucketSeed, primary: tryPrimarySeed }

async function tried(what: keyof typeof seedKinds, seed: number): Promise<Step> {
  const outcome = await tries[what](seed)
  if (outcome.failure !== undefined) console.error(failureText(outcome.failure))
  const ending = outcome.failure === undefined ? { bad: 0 } : { bad: 1, first: `seed ${seed}` }
  const longest = { tries: Math.round(outcome.recoveryMs), bad: 0, isLargest: true } as const
  return [
    ...[...outcome.tally].map(([fault, tries]) => ({ kind: `simulated ${fault}`, tries, bad: 0 })),
    { kind: 'simulated: answers judged', tries: outcome.answers, bad: 0 },
    { kind: 'simulated: longest recovery, virtual ms', ...longest },
    { kind: seedKinds[what], tries: 1, ...ending },
  ]
}

if (import.meta.main) {
  const [what = '', from, until] = process.argv.slice(2)
  const kind = what === 'buckets' || what === 'primary' ? what : 'chains'
  for (let seed = Number(from); seed < Number(until); seed++)
    console.log(JSON.stringify(await tried(kind, seed)))
}
