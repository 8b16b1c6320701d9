/**
 * Compares a store of a primary network with a node, at equal height.
 *
 * The node gives state it keeps itself; the store's comes from replaying blocks. Where they
 * agree, two programs that share no code agree.
 *
 * Networks move on. What is compared is therefore cut into parts short enough to fit between two
 * blocks; a part in which a block came is made again.
 */

import type { ServedNetwork } from '../api/primary/network/networks.ts'
import { Fault, faultIn } from '../core/fault.ts'
import type { Clock } from '../core/world.ts'
import type { NodeApi } from '../source/primary/node-api.ts'
import type { PrimaryChain } from '../store/schema/primary/position.ts'
import { balanceParts } from './check-balances.ts'
import { stakingParts } from './check-staking.ts'
import { subnetParts } from './check-subnets.ts'
import { utxoParts } from './check-utxos.ts'
import { newReport, type Report } from './report.ts'
import {
  acceptedHeights,
  areEqual,
  type Heights,
  storedHeights,
  type Part,
  type Subject,
} from './subject.ts'

/** Subject of the comparison. */
export type VerifyOptions = {
  readonly network: ServedNetwork
  readonly node: NodeApi
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Most addresses, stakers and heights a sampled check looks at. */
  readonly sample: number
}

/** A finished comparison. */
export type Verified = {
  /** Where both were when it began, and when it ended. */
  readonly from: Heights
  readonly heights: Heights
  readonly report: Report
  /** Names of parts that blocks interrupted until patience was over. */
  readonly interrupted: readonly string[]
}

/**
 * Short beside the second or two between blocks: the time in which both are equal is what counts.
 */
const waitMs = 100
/** For both to come to one height, and for all tries of a part. */
const patienceMs = 60_000

const everyChain = ['P', 'X', 'C'] as const

/** Runs all checks. Throws `node-not-yet` when store and node do not come to the same height. */
export async function verifyPrimary(options: VerifyOptions): Promise<Verified> {
  const { network, node, signal, sample } = options
  const subject: Subject = { network, node, signal, sample }
  const from = await equalHeights(options, everyChain)
  const report = newReport()
  const interrupted = new Set<string>()
  for await (const part of everyPart(subject, from)) {
    // The next of the same kind would wait as long again.
    if (interrupted.has(part.name)) continue
    if (!(await wasCompared(options, part, report))) interrupted.add(part.name)
  }
  const heights = await acceptedHeights(node, everyChain, signal)
  return { from, heights, report, interrupted: [...interrupted] }
}

async function* everyPart(subject: Subject, { P }: Heights): AsyncGenerator<Part> {
  yield* utxoParts(subject)
  yield* balanceParts(subject)
  yield* stakingParts(subject, P)
  yield* subnetParts(subject)
}

/** True when the part ran while no block came; its findings are then in `report`. */
async function wasCompared(options: VerifyOptions, part: Part, report: Report): Promise<boolean> {
  const { clock } = options
  const startedAt = clock.monotonic()
  do {
    const heights = await equalHeights(options, part.chains)
    const own = newReport()
    const now = Math.floor(clock.now() / 1_000)
    const failure = await failureOf(part.compare({ report: own, heights, now }))
    const isRefused = failure?.code === 'node-refused'
    if (await stoodStill(options, part, heights)) {
      if (failure !== undefined && !isRefused) throw failure
      report.add(own)
      if (isRefused) report.skip(part.name, failure.message)
      return true
    }
  } while (clock.monotonic() - startedAt < patienceMs)
  return false
}

/** The fault a comparison ended with: it may be a block's, which came in between. */
async function failureOf(comparison: Promise<void>): Promise<Fault | undefined> {
  try {
    await comparison
    return undefined
  } catch (error) {
    const fault = faultIn(error)
    return fault
  }
}

async function stoodStill(
  { node, network, signal }: VerifyOptions,
  { chains }: Part,
  before: Heights,
): Promise<boolean> {
  const theirs = await acceptedHeights(node, chains, signal)
  const ours = await storedHeights(network.store)
  return areEqual(theirs, before, chains) && areEqual(ours, before, chains)
}

/** Waits until the store has what the node has of `chains`. */
async function equalHeights(
  { clock, signal, network, node }: VerifyOptions,
  chains: readonly PrimaryChain[],
): Promise<Heights> {
  const startedAt = clock.monotonic()
  for (;;) {
    const theirs = await acceptedHeights(node, chains, signal)
    const ours = await storedHeights(network.store)
    if (areEqual(ours, theirs, chains)) return ours
    if (clock.monotonic() - startedAt > patienceMs)
      throw new Fault(
        'node-not-yet',
        `store and node are not at one height: ${JSON.stringify(ours)}, ${JSON.stringify(theirs)}`,
      )
    await clock.sleep(waitMs, signal)
  }
}
