/**
 * `npm run soak`: what tests try for seconds, for as long as one likes.
 *
 *   npm run soak -- [--share 0.01] [--only requests,tokens,nodes,peers,simulation,memory,rounds,engines,fleet,buckets,network,versions]
 *                   [--keep FILE] [--minutes 30]
 *
 * `--share` is the share of the whole number of tries, 1 without it. `--keep` names a file of what was
 * tried: a run with the same share goes on from there, so that all of it can be tried in parts. After
 * `--minutes`, or when it is interrupted, a run ends with the step under way. Prints a table; ends with 1
 * when anything ended badly.
 */

import { parseArgs } from 'node:util'

import { engines } from './engines.ts'
import { buckets, fleet } from './fleet.ts'
import { KeptOutcomes } from './kept-outcomes.ts'
import { lyingNodes } from './lying-nodes.ts'
import { lyingPeers } from './lying-peers.ts'
import { memory } from './memory.ts'
import { pageTokens } from './page-tokens.ts'
import { type SoakPart, tableOf } from './report.ts'
import { requests } from './requests.ts'
import { network, rounds, versions } from './rounds.ts'
import { simulation } from './simulation.ts'

const parts: Readonly<Record<string, SoakPart>> = {
  requests,
  tokens: pageTokens,
  nodes: lyingNodes,
  peers: lyingPeers,
  simulation,
  memory,
  rounds,
  engines,
  fleet,
  buckets,
  network,
  versions,
}
/** Between two lines that say where it is. */
const sayEveryMs = 30_000

const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '1' },
    only: { type: 'string' },
    keep: { type: 'string' },
    minutes: { type: 'string' },
  },
})
const share = Number(values.share)
if (!(share > 0 && share <= 1))
  throw new RangeError(`--share must be above 0 and at most 1: ${values.share}`)
const minutes = Number(values.minutes ?? Number.POSITIVE_INFINITY)
if (!(minutes > 0)) throw new RangeError(`--minutes must be above 0: ${values.minutes}`)
const chosen = (values.only?.split(',') ?? Object.keys(parts)).map((name) => {
  const part = parts[name]
  if (part === undefined)
    throw new RangeError(`--only knows ${Object.keys(parts).join(', ')}: ${name}`)
  return part
})

const kept = new KeptOutcomes(values.keep)
const endsAtMs = performance.now() + minutes * 60_000
let isInterrupted = false
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => (isInterrupted = true))

/** Runs the parts one after the other; whether all was tried. */
async function run(): Promise<boolean> {
  let saidMs = performance.now()
  for (const part of chosen)
    for await (const step of part({ share, soFar: (kind) => kept.of(kind) })) {
      // What was started in the same terminal is interrupted too: this step is tried again.
      if (isInterrupted) return false
      kept.add(step)
      const now = performance.now()
      if (now > endsAtMs) return false
      if (now - saidMs < sayEveryMs) continue
      saidMs = now
      const { kind } = step.at(-1) ?? { kind: '' }
      console.error(`${kind}: ${kept.of(kind).tries} tried`)
    }
  return true
}

try {
  if (!(await run())) console.log('Ended before all was tried.')
} finally {
  kept.write()
  console.log(tableOf(kept.all()))
  const bad = kept.all().reduce((sum, outcome) => sum + outcome.bad, 0)
  console.log(bad === 0 ? 'nothing ended badly' : `${bad} ended badly`)
  if (bad > 0) process.exitCode = 1
}
