/**
 * Deployments on PostgreSQL and on Citus that are broken on purpose, in rounds (`test/citus/rounds.ts`):
 * each round is a new deployment that suffers every kind of harm once, one after the other.
 */

import { citusDatabase, fleetScript, startCitus } from '../test/citus/citus-server.ts'
import {
  citusDisasters,
  type Disaster,
  processDisasters,
  serverDisasters,
} from '../test/citus/disasters.ts'
import { manyChains } from '../test/citus/many-chains.ts'
import { round, type Struck } from '../test/citus/rounds.ts'
import type { Ending } from '../test/firn-process.ts'
import { createDatabase, startPostgres } from '../test/postgres.ts'
import { type Outcome, type SoakPlan, type Step, triesOf } from './report.ts'

const roundsEach = 20

const manySize = { chains: 100, index: 2, serve: 4 }
/** What its processes may take together, of the hundred that the server has. */
const mostConnections = 60

/** Rounds of every kind; a try is one disaster. */
export async function* fleet(plan: SoakPlan): AsyncGenerator<Step> {
  yield* many(plan)
  const ending = new Ended()
  try {
    const server = await startPostgres()
    ending.after(() => server.stop())
    const disasters = [...processDisasters, ...serverDisasters(server)]
    yield* rounds(plan, disasters, (name) => createDatabase(server.url, name))
    const script = fleetScript()
    if (script === undefined) {
      console.error('skipped: no script that starts a Citus: FIRN_CITUS_FLEET')
      return
    }
    const citus = await startCitus(script, 2)
    ending.after(async () => citus.stop())
    yield* rounds(plan, citusDisasters(citus), (name) => citusDatabase(citus.nodes, name))
  } finally {
    await ending.end()
  }
}

/** A hundred chains on a server with a hundred connections. */
async function* many({ soFar }: SoakPlan): AsyncGenerator<Step> {
  const kind = '100 chains, 2 processes index, 4 serve, max_connections = 100'
  if (soFar(kind).tries > 0) return
  const ending = new Ended()
  try {
    const server = await startPostgres('any', ['max_connections=100'])
    ending.after(() => server.stop())
    const { connections, shares, liveMs } = await manyChains(ending, server.url, manySize)
    const note = `${connections} connections at most, live after ${Math.round(liveMs / 1_000)} s, ${shares.join(' and ')} chains`
    yield [{ kind, tries: 1, bad: connections > mostConnections ? 1 : 0, note }]
  } catch (error) {
    yield [{ kind, tries: 1, bad: 1, first: String(error) }]
  } finally {
    await ending.end()
  }
}

async function* rounds(
  { share, soFar }: SoakPlan,
  disasters: readonly Disaster[],
  database: (name: string) => Promise<string>,
): AsyncGenerator<Step> {
  const count = triesOf(roundsEach, share)
  const [first] = disasters
  for (let at = first === undefined ? count : soFar(first.kind).tries; at < count; at++) {
    const ending = new Ended()
    try {
      const struck = await round(ending, await database(`round_${at}`), disasters)
      yield struck.flatMap(outcomesOf)
    } catch (error) {
      const wrong = [error instanceof Error ? (error.stack ?? error.message) : String(error)]
      yield disasters.map(({ kind }) => ({ kind, tries: 1, bad: 1, first: wrong.join() }))
    } finally {
      await ending.end()
    }
  }
}

function outcomesOf({ kind, tookMs, wrong }: Struck): readonly Outcome[] {
  const [first] = wrong
  const outcome = { kind, tries: 1, bad: first === undefined ? 0 : 1 }
  return [
    first === undefined ? outcome : { ...outcome, first },
    { kind: `${kind}: slowest first commit, ms`, tries: tookMs, bad: 0, isLargest: true },
  ]
}

/** What is to end with a round. */
class Ended implements Ending {
  readonly #works: (() => Promise<void>)[] = []

  readonly after = (work: () => Promise<void>): void => void this.#works.push(work)

  async end(): Promise<void> {
    for (let work = this.#works.pop(); work !== undefined; work = this.#works.pop()) await work()
  }
}
