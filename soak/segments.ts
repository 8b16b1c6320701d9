/** Segment files altered in every way, with and without checksums that fit: no wrong row, no crash. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { alterations, subjectsIn, tryAltered } from '../test/altered-segment.ts'
import { demoFilling } from '../test/read-demo-chain.ts'
import { drawsOf, type Outcome, type SoakPlan, type Step, triesOf } from './report.ts'

const million = 1_000_000
/** Files of one step. */
const atOnce = 500

/** A million altered segments. */
export async function* segments({ share, soFar }: SoakPlan): AsyncGenerator<Step> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-soak-'))
  try {
    await demoFilling(50, 51_002).fill({ store: 'embedded', dataDir: folder })
    const subjects = await subjectsIn(folder, 'evm-51002')
    const tries = triesOf(million / Object.keys(alterations).length, share)
    for (const alteration of Object.keys(alterations)) {
      const kind = `segment: ${alteration}`
      for (let from = soFar(kind).tries; from < tries; from += atOnce) {
        const outcome: { -readonly [Name in keyof Outcome]: Outcome[Name] } = {
          kind,
          tries: Math.min(atOnce, tries - from),
          bad: 0,
        }
        for (let seed = from + 1; seed <= from + outcome.tries; seed++) {
          const problem = tryAltered(subjects, alteration, drawsOf(seed))
          if (problem === undefined) continue
          outcome.bad++
          outcome.first ??= `seed ${seed}: ${problem}`
        }
        yield [outcome]
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
