/**
 * Simulated deployments, thousands of seeds: `test/simulation` says what they are and what is judged.
 * A seed that fails is printed with the smallest plan that fails, to be kept there.
 */

import { faultKinds, primaryFaults } from '../test/simulation/fault-kinds.ts'
import { failureText, tryPrimarySeed, trySeed } from '../test/simulation/try-seed.ts'
import { type SoakPlan, type Step, triesOf } from './report.ts'

/** Of EVM chains, and of the primary network. */
const wholeSeeds = 8_000
const wholePrimarySeeds = 2_000

/** All seeds, then each kind of fault that never took effect: it is bad, for nothing was tried of it. */
export async function* simulation({ share, soFar }: SoakPlan): AsyncGenerator<Step> {
  const parts = [
    { kind: 'simulated EVM chains, seeds', whole: wholeSeeds, run: trySeed },
    { kind: 'simulated primary networks, seeds', whole: wholePrimarySeeds, run: tryPrimarySeed },
  ]
  for (const { kind, whole, run } of parts)
    for (const seeds = triesOf(whole, share); soFar(kind).tries < seeds;) {
      const seed = soFar(kind).tries + 1
      const outcome = await run(seed)
      if (outcome.failure !== undefined) console.error(failureText(outcome.failure))
      const ending = outcome.failure === undefined ? { bad: 0 } : { bad: 1, first: `seed ${seed}` }
      const recoveryMs = Math.round(outcome.recoveryMs)
      yield [
        ...[...outcome.tally].map(([fault, tries]) => ({
          kind: `simulated ${fault}`,
          tries,
          bad: 0,
        })),
        { kind: 'simulated: answers judged', tries: outcome.answers, bad: 0 },
        {
          kind: 'simulated: longest recovery, virtual ms',
          tries: recoveryMs,
          bad: 0,
          isLargest: true,
        },
        { kind, tries: 1, ...ending },
      ]
    }
  for (const fault of [...faultKinds, ...primaryFaults]) {
    const kind = `simulated ${fault}`
    if (soFar(kind).tries === 0) yield [{ kind, tries: 0, bad: 1, first: 'never took effect' }]
  }
}
