/**
 * Simulated deployments, thousands of seeds: `test/simulation` says what they are and what is judged.
 * A seed that fails is printed with the smallest plan that fails, to be kept there.
 */

import { faultKinds, type FaultKind } from '../test/simulation/fault-kinds.ts'
import { failureText, trySeed } from '../test/simulation/try-seed.ts'
import { type Outcome, triesOf } from './report.ts'

const wholeSeeds = 10_000

/** All seeds, then how often each kind of fault took effect; one that never did is bad. */
export async function* simulation(share: number): AsyncGenerator<Outcome> {
  const seeds = triesOf(wholeSeeds, share)
  const counts = new Map<FaultKind, number>()
  let answers = 0
  let bad = 0
  let longestMs = 0
  let first: string | undefined
  for (let seed = 1; seed <= seeds; seed++) {
    const outcome = await trySeed(seed)
    answers += outcome.answers
    longestMs = Math.max(longestMs, outcome.recoveryMs)
    for (const [kind, count] of outcome.tally) counts.set(kind, (counts.get(kind) ?? 0) + count)
    if (outcome.failure === undefined) continue
    bad++
    first ??= `seed ${seed}`
    console.error(failureText(outcome.failure))
  }
  const failed = first === undefined ? {} : { first }
  yield { kind: 'simulated deployments', tries: seeds, bad, ...failed }
  yield { kind: 'simulated: answers judged', tries: answers, bad: 0 }
  yield { kind: 'simulated: longest recovery, virtual ms', tries: longestMs, bad: 0 }
  for (const kind of faultKinds) {
    const count = counts.get(kind) ?? 0
    yield { kind: `simulated ${kind}`, tries: count, bad: count === 0 ? 1 : 0 }
  }
}
