/**
 * Simulated deployments, thousands of seeds: `test/simulation` says what they are and what is judged.
 * A seed that fails is printed with the smallest plan that fails, to be kept there.
 */

import { faultKinds, type FaultKind, primaryFaults } from '../test/simulation/fault-kinds.ts'
import { failureText, tryPrimarySeed, trySeed } from '../test/simulation/try-seed.ts'
import { type Outcome, triesOf } from './report.ts'

/** Of EVM chains, and of the primary network. */
const wholeSeeds = 8_000
const wholePrimarySeeds = 2_000

/** All seeds, then how often each kind of fault took effect; one that never did is bad. */
export async function* simulation(share: number): AsyncGenerator<Outcome> {
  const counts = new Map<FaultKind, number>()
  const parts = [
    { kind: 'simulated EVM chains, seeds', whole: wholeSeeds, run: trySeed },
    { kind: 'simulated primary networks, seeds', whole: wholePrimarySeeds, run: tryPrimarySeed },
  ]
  let answers = 0
  let longestMs = 0
  for (const { kind, whole, run } of parts) {
    const seeds = triesOf(whole, share)
    let bad = 0
    let first: string | undefined
    for (let seed = 1; seed <= seeds; seed++) {
      const outcome = await run(seed)
      answers += outcome.answers
      longestMs = Math.max(longestMs, outcome.recoveryMs)
      for (const [fault, count] of outcome.tally)
        counts.set(fault, (counts.get(fault) ?? 0) + count)
      if (outcome.failure === undefined) continue
      bad++
      first ??= `seed ${seed}`
      console.error(failureText(outcome.failure))
    }
    yield { kind, tries: seeds, bad, ...(first === undefined ? {} : { first }) }
  }
  yield { kind: 'simulated: answers judged', tries: answers, bad: 0 }
  yield { kind: 'simulated: longest recovery, virtual ms', tries: longestMs, bad: 0 }
  for (const kind of [...faultKinds, ...primaryFaults]) {
    const count = counts.get(kind) ?? 0
    yield { kind: `simulated ${kind}`, tries: count, bad: count === 0 ? 1 : 0 }
  }
}
