/**
 * Simulated deployments, thousands of seeds: `test/simulation` says what they are and what is judged.
 * A seed that fails is printed with the smallest plan that fails, to be kept there.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

import { bucketFaults, faultKinds, primaryFaults } from '../test/simulation/fault-kinds.ts'
import { type SoakPlan, type Step, triesOf } from './report.ts'
import { seedKinds } from './seeds.ts'

const wholeSeeds = { chains: 8_000, buckets: 1_000, primary: 2_000 } as const
/** Seeds that one process tries, in turns of all kinds: it needs up to 2 GB for them. */
const seedsAtOnce = { chains: 40, buckets: 20, primary: 10 } as const

/** All seeds, then each kind of fault that never took effect: it is bad, for nothing was tried of it. */
export async function* simulation({ share, soFar }: SoakPlan): AsyncGenerator<Step> {
  for (let isOver = false; !isOver;) {
    isOver = true
    for (const what of ['chains', 'buckets', 'primary'] as const) {
      const from = soFar(seedKinds[what]).tries + 1
      const last = triesOf(wholeSeeds[what], share)
      if (from > last) continue
      isOver = false
      yield* triedIn(what, { from, until: Math.min(from + seedsAtOnce[what], last + 1) })
    }
  }
  for (const fault of [...faultKinds, ...bucketFaults, ...primaryFaults]) {
    const kind = `simulated ${fault}`
    if (soFar(kind).tries === 0) yield [{ kind, tries: 0, bad: 1, first: 'never took effect' }]
  }
}

/** Seeds tried in a process of their own, a step each. */
async function* triedIn(
  what: keyof typeof seedKinds,
  seeds: { readonly from: number; readonly until: number },
): AsyncGenerator<Step> {
  const script = fileURLToPath(new URL('seeds.ts', import.meta.url))
  const child: ChildProcessByStdio<null, Readable, null> = spawn(
    process.execPath,
    [script, what, String(seeds.from), String(seeds.until)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(child, 'exit')
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by that script
    for await (const line of createInterface(child.stdout)) yield JSON.parse(line) as Step
    const [code] = await ended
    if (code !== 0) throw new Error(`seeds from ${seeds.from} on ended with ${String(code)}`)
  } finally {
    // Whoever wants no more steps ends it.
    child.kill()
  }
}
