/**
 * Peers that lie about blocks: one of six, and all but one, each in its own way or all alike. A source
 * over them gives the true blocks or none; with one liar it gives all of them.
 */

import { lies, openSource, readAll, startPeers, truthOf } from '../test/hostile-peers.ts'
import { drawsOf, type Outcome, type SoakPlan, type Step, triesOf } from './report.ts'

const seedsEach = 25
/** One honest peer gives everything in this time; a minority that agrees is waited for no longer. */
const wholeMs = 60_000
const silentMs = 12_000

/** One of six may lie, and one of five is enough to keep a lie out. */
const parties = [
  { liars: 1, peers: 6 },
  { liars: 4, peers: 5 },
] as const

/** All kinds, of one liar and of all but one. */
export async function* lyingPeers({ share, soFar }: SoakPlan): AsyncGenerator<Step> {
  const seeds = triesOf(seedsEach, share)
  const truth = truthOf('local-one')
  for (const [name, { votes }] of Object.entries(lies))
    for (const { liars, peers } of parties) {
      const kind = `lying peers, ${name}, ${liars} of ${peers}`
      for (let seed = soFar(kind).tries + 1; seed <= seeds; seed++) {
        const network = await startPeers(truth, peers, drawsOf(seed))
        const honest = seed % peers
        network.lies.forEach((_, at) => {
          const isLiar = liars === 1 ? at === honest : at !== honest
          network.lies[at] = isLiar ? name : undefined
        })
        // With one liar, and where all say the truth of what is accepted, the whole truth comes.
        const isWhole = liars === 1 || votes
        const opened = openSource(truth, network)
        const signal = AbortSignal.timeout(isWhole ? wholeMs : silentMs)
        let problem: string | undefined
        try {
          const ends = await Promise.all([
            readAll(opened.source, 'P', truth, signal),
            readAll(opened.source, 'X', truth, signal),
          ])
          if (isWhole && ends.includes('silent')) problem = 'stuck'
        } catch (error) {
          problem = String(error)
        } finally {
          await opened.close()
          await network.close()
        }
        yield [outcomeOf(kind, seed, problem)]
      }
    }
}

function outcomeOf(kind: string, seed: number, problem: string | undefined): Outcome {
  if (problem === undefined) return { kind, tries: 1, bad: 0 }
  return { kind, tries: 1, bad: 1, first: `seed ${seed}: ${problem}` }
}
