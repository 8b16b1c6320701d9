/**
 * Peers that lie about blocks in each way there is, one of six and four of five. Beside five honest ones a
 * liar delays nothing; of four liars the true blocks come, or none.
 */

import { quorumPercent } from '../src/source/peers/tip-vote.ts'
import {
  lies,
  openSource,
  readAll,
  startPeers,
  type Truth,
  truthOf,
} from '../test/support/nodes/hostile-peers.ts'
import { drawsOf, type SoakPlan, type Step, triesOf } from './report.ts'

const seedsEach = 25
/** Tries under way: they wait more than they work. */
const atOnce = 5
/** Everything comes in a second or two; a tip that is no tip is believed at once. */
const wholeMs = 60_000
const silentMs = 3_000

/** A try is both chains from their first blocks to the tip. */
export async function* lyingPeers({ share, soFar }: SoakPlan): AsyncGenerator<Step> {
  const truth = truthOf('local-one')
  const seeds = triesOf(seedsEach, share)
  for (const name of Object.keys(lies))
    for (const [liars, peers] of [
      [1, 6],
      [4, 5],
    ] as const) {
      const kind = `lying peers, ${name}, ${liars} of ${peers}`
      for (let next = soFar(kind).tries + 1; next <= seeds; next += atOnce) {
        const tries = Array.from({ length: Math.min(atOnce, seeds + 1 - next) }, (_, at) => {
          return tryOne(truth, { name, liars, peers, seed: next + at })
        })
        const wrong = (await Promise.all(tries)).filter((one) => one !== undefined)
        const found = { kind, tries: tries.length, bad: wrong.length }
        yield [wrong[0] === undefined ? found : { ...found, first: wrong[0] }]
      }
    }
}

type Try = {
  readonly name: string
  readonly liars: number
  readonly peers: number
  readonly seed: number
}

/** What was wrong; `undefined` where nothing was. */
async function tryOne(
  truth: Truth,
  { name, liars, peers: count, seed }: Try,
): Promise<string | undefined> {
  const network = await startPeers(truth, count, drawsOf(seed))
  for (let at = 0; at < liars; at++) network.lies[(seed + at) % count] = name
  const { source, peers, close } = openSource(truth, network)
  // Nobody is believed where too many lie about what is accepted, or were caught and are left alone.
  const believed = (): number =>
    network.validators.filter(
      ({ nodeId }, at) =>
        peers.offence(nodeId) === undefined && lies[network.lies[at] ?? '']?.votes !== false,
    ).length
  const isSilent = (): boolean => (100 * believed()) / count < quorumPercent
  const over = new AbortController()
  const end = (): void => void setTimeout(() => over.abort(), silentMs).unref()
  if (isSilent()) end()
  peers.watch(() => isSilent() && end())
  const signal = AbortSignal.any([AbortSignal.timeout(wholeMs), over.signal])
  const read = (['P', 'X'] as const).map((chain) => readAll(source, truth[chain], signal))
  const ends = await Promise.all(read).catch(String)
  const isRight = typeof ends !== 'string' && (isSilent() || !ends.includes('silent'))
  await close()
  await network.close()
  return isRight ? undefined : `seed ${seed}: ${String(ends)}`
}
