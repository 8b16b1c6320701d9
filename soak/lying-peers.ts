/**
 * Peers that lie about blocks in each way there is, one of six and four of five. Beside five honest ones a
 * liar delays nothing; of four liars the true blocks come, or none.
 */

import { lies, openSource, readAll, startPeers, truthOf } from '../test/hostile-peers.ts'
import { drawsOf, type SoakPlan, type Step, triesOf } from './report.ts'

const seedsEach = 25
/** Everything comes in a second or two; a tip that is no tip is believed at once. */
const wholeMs = 60_000
const silentMs = 3_000

/** A try is both chains from their first blocks to the tip. */
export async function* lyingPeers({ share, soFar }: SoakPlan): AsyncGenerator<Step> {
  const truth = truthOf('local-one')
  for (const [name, { votes }] of Object.entries(lies))
    for (const [liars, peers] of [
      [1, 6],
      [4, 5],
    ] as const) {
      const kind = `lying peers, ${name}, ${liars} of ${peers}`
      // With so many that lie about what is accepted nobody is believed.
      const isWhole = liars === 1 || votes
      for (let seed = soFar(kind).tries + 1; seed <= triesOf(seedsEach, share); seed++) {
        const network = await startPeers(truth, peers, drawsOf(seed))
        const places = Array.from({ length: liars }, (_, at) => (seed + at) % peers)
        for (const at of places) network.lies[at] = name
        const { source, close } = openSource(truth, network)
        const signal = AbortSignal.timeout(isWhole ? wholeMs : silentMs)
        const read = (['P', 'X'] as const).map((chain) => readAll(source, truth[chain], signal))
        const ends = await Promise.all(read).catch(String)
        const isRight = typeof ends !== 'string' && !(isWhole && ends.includes('silent'))
        await close()
        await network.close()
        const found = { kind, tries: 1, bad: isRight ? 0 : 1 }
        yield [isRight ? found : { ...found, first: `seed ${seed}: ${String(ends)}` }]
      }
    }
}
