/**
 * One simulation: a deployment, its faults and its callers, from the first start until everything
 * is live again, judged by what the chain's history says.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readConfig } from '../../src/config/read-config.ts'
import { messageStore } from '../../src/service/chain-specs.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { cutMessages, evmTables, token, tokenWord } from '../../src/store/schema/evm.ts'
import { icmTables } from '../../src/store/schema/icm.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { nftMetadata } from '../../src/store/schema/nft.ts'
import { chainTables, messageTables } from '../../src/store/schema/stores.ts'
import type { Table } from '../../src/store/schema/table.ts'
import { drawsOf } from '../support/processes/draws.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { call, type CallerOptions, Heights, readList } from './caller.ts'
import type { Defect } from './defects.ts'
import { Deployment } from './deployment.ts'
import { type History, historyOf } from './history.ts'
import { inflict, type Tally } from './inflict.ts'
import { Life } from './life.ts'
import { listQuestions, Wrong } from './oracle.ts'
import { histories, historyLength, type Plan, troubleMs } from './plan.ts'
import { SimNode } from './sim-node.ts'
import { historyIn } from './sim-process.ts'

/** Result of a plan. */
export type Outcome = {
  /** Why it failed; absent when all was right. */
  readonly wrong?: string
  readonly tally: Tally
  /** Answers that callers judged. */
  readonly answers: number
  /** Virtual time from the end of the last fault until all was live. */
  readonly recoveryMs: number
}

/**
 * Once no fault is left everything is live within so long. The longest pause of the product is that
 * of a stage which every endpoint refused again and again: four minutes after two refusals.
 */
const recoveryLimitMs = 600_000
/** The chain grows by one block in so long, from half of its length on. */
const blockEveryMs = 1_400
/** Looks at the state of things come this often. */
const lookEveryMs = 500
const storeName = 'fuji-made-up'

const made = new Map<number, History>()
const wanted = new Map<number, Record<string, string>>()

/** Runs a plan to its end, with processes that have the defect. */
export async function simulate(plan: Plan, defect?: Defect): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-sim-'))
  const own = historyAt(plan.history)
  const other = historyAt((plan.history + 1) % histories)
  const tally: Tally = new Map()
  const heights = new Heights()
  const deployment = deploymentOf(plan, folder, { own, other, defect })
  let recoveryMs = 0
  try {
    recoveryMs = await live(plan, deployment, { history: own, tally, heights })
    await deployment.end()
    const location = locationOf(deployment, folder)
    if (plan.faults.length > 0) await compare(plan.history, location)
    else wanted.set(plan.history, await digestOf(location))
    return { tally, answers: heights.answers, recoveryMs }
  } catch (error) {
    await deployment.end()
    const wrong = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { wrong, tally, answers: heights.answers, recoveryMs }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function historyAt(at: number): History {
  let history = made.get(at)
  if (history === undefined) made.set(at, (history = historyOf(at, historyLength)))
  return history
}

/** Nodes of one chain, and processes that follow it. */
function deploymentOf(
  plan: Plan,
  folder: string,
  of: { readonly own: History; readonly other: History; readonly defect: Defect | undefined },
): Deployment {
  const { own, other, defect } = of
  const ats = Array.from({ length: plan.nodes }, (_, at) => at)
  const rpcUrls = ats.map((at) => `http://node-${at}:9650/rpc`)
  const chains = [{ network: 'fuji', name: 'Made up', symbol: 'MADE', rpcUrls }]
  const file = { path: 'firn.yaml', text: JSON.stringify({ chains }) }
  const { config } = readConfig({ flags: {}, environment: {}, file })
  const top = own.blocks.length - 1
  return new Deployment({
    ...plan,
    folder,
    config,
    defect,
    nodes: (clock, draws) => {
      const headNow = (): number =>
        Math.min(top, Math.floor(own.blocks.length / 2 + clock.monotonic() / blockEveryMs))
      return ats.map(
        (at) =>
          new SimNode({ history: own, other, clock, draws: draws.part(`node ${at}`), headNow }),
      )
    },
  })
}

/** Lets everything happen; gives the time it took to be live once nothing more was wrong. */
async function live(
  plan: Plan,
  deployment: Deployment,
  of: { readonly history: History; readonly tally: Tally; readonly heights: Heights },
): Promise<number> {
  const { clock } = deployment
  const { history, tally, heights } = of
  let isOver = false
  let failure: unknown
  const proven = provenBy(deployment, history)
  const parts = (name: string): CallerOptions => ({
    history,
    draws: drawsOf(plan.seed).part(name),
    clock,
    processes: () => deployment.processes,
    isOver: () => isOver,
    heights,
    proven,
  })
  const watched = (work: Promise<unknown>): Promise<unknown> =>
    work.catch((error: unknown) => (failure ??= error))
  const callers = Array.from({ length: plan.callers }, (_, at) =>
    watched(call(parts(`caller ${at}`))),
  )
  const faults = plan.faults.map((fault) => watched(inflict(fault, deployment, tally)))
  const check = (): void => {
    deployment.checkLive()
    failure ??= deployment.broken
    if (failure !== undefined) throw failure
  }
  const isLiveBy = async (limitMs: number): Promise<boolean> => {
    while (!isLive(deployment, history.blocks.length - 1)) {
      check()
      if (clock.monotonic() > limitMs) return false
      await clock.sleep(lookEveryMs)
    }
    return true
  }
  try {
    let hasEnded = plan.faults.length === 0
    void Promise.all(faults).then(() => (hasEnded = true))
    while (!hasEnded || (plan.faults.length > 0 && clock.monotonic() < troubleMs)) {
      check()
      await clock.sleep(lookEveryMs)
    }
    const wellMs = clock.monotonic()
    if (!(await isLiveBy(wellMs + recoveryLimitMs)))
      throw new Wrong(`not live after ${recoveryLimitMs} ms: ${stateOf(deployment)}`)
    const recoveryMs = clock.monotonic() - wellMs
    await readEverything(parts('last'), clock.monotonic() + 120_000)
    check()
    isOver = true
    await Promise.all(callers)
    check()
    return recoveryMs
  } finally {
    isOver = true
  }
}

/** Every list once more, now that all rows are there. */
async function readEverything(parts: CallerOptions, limitMs: number): Promise<void> {
  const isOver = (): boolean => parts.clock.monotonic() > limitMs
  for (const question of listQuestions(parts.history))
    if (!(await readList({ ...parts, isOver }, question)))
      throw new Wrong(`nobody answers any more: ${question.path}`)
  const top = parts.history.blocks.length - 1
  const [blocks, traces] = [parts.heights.of('blocks'), parts.heights.of('traces')]
  const wanted = Math.min(top, parts.proven())
  if (blocks !== wanted || traces !== wanted)
    throw new Wrong(`complete up to ${blocks} and ${traces}`)
}

/** Tells up to where blocks are proven: what was proven once stays so. */
function provenBy(deployment: Deployment, { heliconFrom }: History): () => number {
  // Before Helicon each block proves itself.
  if (heliconFrom === Number.POSITIVE_INFINITY) return () => heliconFrom
  let proven = -1
  return () => {
    for (const { stage, provenHeight = -1 } of deployment.stages())
      if (stage === 'blocks') proven = Math.max(proven, provenHeight)
    return proven
  }
}

function isLive(deployment: Deployment, top: number): boolean {
  const stages = deployment.stages()
  const isAtTop = (name: string): boolean =>
    stages.some(
      ({ stage, state, indexedHeight }) =>
        stage === name && state === 'live' && indexedHeight === top,
    )
  const messages = deployment.processes
    .flatMap(({ life, status }) => (life.isDead ? [] : status()))
    .flatMap((chain) => chain.stages.filter(({ stage }) => stage === 'messages'))
  const areJoined = messages.some((one) => one.state === 'live' && one.indexedHeight === top)
  return isAtTop('blocks') && isAtTop('traces') && areJoined
}

function stateOf(deployment: Deployment): string {
  return JSON.stringify({
    stages: deployment.stages(),
    processes: deployment.processes.map(
      ({ life, role }) => `${role} ${life.isDead ? 'dead' : 'alive'}`,
    ),
  })
}

/** Questions to contracts carry times, and a cut is written down for the joining of messages. */
const undecided: readonly Table[] = [token, tokenWord, nftMetadata, cutMessages]
/** Tables whose rows blocks and traces decide. */
const decided = [...evmTables, ...metricsTables].filter((table) => !undecided.includes(table))

/** The stores of a deployment that ended, read by somebody with an empty disk. */
function locationOf({ bucket }: Deployment, dataDir: string): StoreLocation {
  const location = { store: 'embedded', dataDir }
  if (bucket === undefined) return location
  const random = { bytes: (size: number) => new Uint8Array(size), number: () => 0.5 }
  const folder = join(dataDir, 'history-read')
  const world = { clock: systemClock, random }
  const { signal } = new AbortController()
  return { ...location, ...historyIn(bucket, new Life(), { world, folder, signal }) }
}

async function digestOf(location: StoreLocation): Promise<Record<string, string>> {
  const digests: Record<string, string> = {}
  for (const { name, tables, of } of [
    { name: storeName, tables: chainTables, of: decided },
    { name: messageStore, tables: messageTables, of: icmTables },
  ]) {
    const store = await openStore(location, name, tables, 'read')
    Object.assign(digests, await storeDigest(store, of))
    await store.close()
  }
  return digests
}

/** That the store holds exactly the rows of a run in which nothing went wrong. */
async function compare(history: number, location: StoreLocation): Promise<void> {
  if (!wanted.has(history)) {
    const { wrong } = await simulate(undisturbed(history))
    if (wrong !== undefined) throw new Wrong(`undisturbed: ${wrong}`)
  }
  const stored = await digestOf(location)
  for (const [table, digest] of Object.entries(wanted.get(history) ?? {}))
    if (stored[table] !== digest)
      throw new Wrong(`table ${table} holds ${stored[table]}, undisturbed ${digest}`)
}

function undisturbed(history: number): Plan {
  return { seed: 0, history, nodes: 1, roles: ['all'], callers: 1, faults: [] }
}
