/**
 * Deployments on PostgreSQL and on Citus that are broken on purpose, in rounds (`test/fleet/rounds.ts`):
 * each round is a new deployment that suffers every kind of harm once, one after the other.
 */

import { citusDatabase, dropCitusDatabase, startCitus } from '../test/fleet/citus-server.ts'
import {
  busyDisasters,
  citusDisasters,
  type Disaster,
  networkDisasters,
  processDisasters,
  promisedMs,
  serverDisasters,
} from '../test/fleet/disasters.ts'
import type { FleetSize } from '../test/fleet/fleet.ts'
import { besideHarm } from '../test/fleet/harmed-storage.ts'
import { manyChains } from '../test/fleet/many-chains.ts'
import { round, type Struck } from '../test/fleet/rounds.ts'
import type { Ending } from '../test/support/processes/firn-process.ts'
import { citusFleet, citusFleetName } from '../test/support/processes/test-settings.ts'
import { startStorage } from '../test/support/stores/object-storage.ts'
import { createDatabase, startPostgres } from '../test/support/stores/postgres.ts'
import { type Outcome, type SoakPlan, type Step, triesOf } from './report.ts'

const roundsEach = 20
const bucketRounds = 60

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
    const disasters = [...processDisasters, ...networkDisasters, ...serverDisasters(server)]
    const database = (name: string): Promise<string> => createDatabase(server.url, name)
    const wide = named('three hosts, ten chains', [...disasters, ...busyDisasters])
    const scenes: Scene[] = [
      { disasters, database },
      { disasters: wide, database, size: { hosts: 3, chains: 10 } },
    ]
    if (citusFleet === undefined)
      console.error(`Citus is skipped: no script that starts one: ${citusFleetName}`)
    else {
      const citus = await startCitus(citusFleet, 2)
      ending.after(async () => citus.stop())
      scenes.push({
        disasters: citusDisasters(citus),
        database: (name) => citusDatabase(citus.nodes, name),
        drop: (name) => dropCitusDatabase(citus.nodes, name),
      })
    }
    yield* roundsOf(scenes, triesOf(roundsEach, plan.share), plan)
  } finally {
    await ending.end()
  }
}

/** Rounds of deployments whose history lies in a bucket that does harm, too: another kind of it in each. */
export async function* buckets(plan: SoakPlan): AsyncGenerator<Step> {
  const ending = new Ended()
  try {
    const server = await startPostgres()
    ending.after(() => server.stop())
    const disasters = [...processDisasters, ...networkDisasters, ...serverDisasters(server)]
    const scene: Scene = {
      disasters: named('history in a bucket', disasters),
      database: (name) => createDatabase(server.url, name),
      size: { hosts: 3, chains: 3 },
      hasBucket: true,
    }
    yield* roundsOf([scene], triesOf(bucketRounds, plan.share), plan)
  } finally {
    await ending.end()
  }
}

/** Round after round, so that a run that ends early has tried something of each kind. */
async function* roundsOf(
  scenes: readonly Scene[],
  count: number,
  { soFar }: SoakPlan,
): AsyncGenerator<Step> {
  for (let at = 0; at < count; at++)
    for (const scene of scenes)
      if (scene.disasters.some(({ kind }) => soFar(kind).tries <= at))
        yield await oneRound(scene, at, `round_${at}_${scenes.indexOf(scene)}`)
}

function named(words: string, disasters: readonly Disaster[]): readonly Disaster[] {
  return disasters.map(({ kind, strike }) => ({ kind: `${words}: ${kind}`, strike }))
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

/** Where rounds are: what can break there, and where a new database is made. */
type Scene = {
  readonly disasters: readonly Disaster[]
  readonly database: (name: string) => Promise<string>
  readonly drop?: (name: string) => Promise<void>
  /** Two processes index one chain where it is absent. */
  readonly size?: FleetSize
  /** History lies in a bucket, which does harm meanwhile, another in each round. */
  readonly hasBucket?: true
}

async function oneRound(scene: Scene, number: number, name: string): Promise<Step> {
  const { disasters, database, drop, size, hasBucket } = scene
  const ending = new Ended()
  try {
    const storage = hasBucket && (await startStorage())
    ending.after(async () => storage?.close())
    const struck = await round(ending, await database(name), {
      disasters: storage === undefined ? disasters : besideHarm(storage, disasters, number),
      // Ranges of blocks are written meanwhile: how soon the first is committed is measured without a bucket.
      limitMs: hasBucket ? Number.POSITIVE_INFINITY : promisedMs,
      size: size && { ...size, ...(storage === undefined ? {} : { storage }) },
    })
    return struck.flatMap(outcomesOf)
  } catch (error) {
    const first = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return disasters.map(({ kind }) => ({ kind, tries: 1, bad: 1, first }))
  } finally {
    await ending.end()
    await drop?.(name)
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
