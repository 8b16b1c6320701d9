/**
 * Compares a store of a primary network with a node, at equal height.
 *
 * The node is asked for state it keeps itself; the store's comes from replaying blocks. Where they
 * agree, two programs that share no code agree.
 */

import type { ServedNetwork } from '../../api/primary/network-directory.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import { integerIn, type NodeApi, nodePaths } from '../../source/primary/node-api.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import { checkBalances } from './check-balances.ts'
import { checkStaking } from './check-staking.ts'
import { checkSubnets } from './check-subnets.ts'
import { checkUtxos } from './check-utxos.ts'
import { newReport, type Report } from './report.ts'
import type { Subject } from './subject.ts'

/** What is compared. */
export type VerifyOptions = {
  readonly network: ServedNetwork
  readonly node: NodeApi
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Most addresses, stakers and heights a sampled check looks at. */
  readonly sample: number
}

/** Heights by chain at which a comparison was made. */
export type Heights = { readonly P: number; readonly X: number; readonly C: number }

/** A finished comparison. */
export type Verified = { readonly heights: Heights; readonly report: Report }

/** The node moves on while it is asked; then everything is asked again. */
const tries = 5
const waitMs = 1_000
const patienceMs = 60_000

/**
 * Runs all checks while neither side moves. Throws `node-not-yet` when store and node do not come
 * to the same height, or do not stay there.
 */
export async function verifyPrimary(options: VerifyOptions): Promise<Verified> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const before = await equalHeights(options)
    const report = newReport()
    const now = Math.floor(options.clock.now() / 1_000)
    const subject: Subject = { ...options, report, now }
    await runChecks(subject, before)
    const after = await nodeHeights(options)
    if (JSON.stringify(after) === JSON.stringify(before)) return { heights: before, report }
  }
  throw new Fault('node-not-yet', 'the node does not stand still long enough to be compared')
}

async function runChecks(subject: Subject, heights: Heights): Promise<void> {
  const checks: readonly [string, () => Promise<void>][] = [
    ['UTXOs', () => checkUtxos(subject)],
    ['balances', () => checkBalances(subject)],
    ['staking', () => checkStaking(subject, heights.P)],
    ['subnets', () => checkSubnets(subject)],
  ]
  for (const [name, check] of checks) {
    try {
      await check()
    } catch (error) {
      const fault = faultOf(error)
      if (fault?.code !== 'node-refused') throw error
      subject.report.skip(name, fault.message)
    }
  }
}

async function nodeHeights({ node, signal }: VerifyOptions): Promise<Heights> {
  const [number] = await node.askEvm([{ method: 'eth_blockNumber', params: [] }], signal)
  return {
    P: integerIn(await node.ask(nodePaths.P, 'platform.getHeight', {}, signal), 'height'),
    X: integerIn(await node.ask(nodePaths.X, 'avm.getHeight', {}, signal), 'height'),
    C: integerIn({ number }, 'number'),
  }
}

/** Waits until the store has what the node has. */
async function equalHeights(options: VerifyOptions): Promise<Heights> {
  const { clock, signal, network } = options
  const startedAt = clock.monotonic()
  for (;;) {
    const theirs = await nodeHeights(options)
    const stages = await checkpointHeights(network.store)
    const ours = { P: stages.get('P'), X: stages.get('X'), C: stages.get('C') ?? 0 }
    if (ours.P === theirs.P && ours.X === theirs.X && ours.C === theirs.C) return theirs
    if (clock.monotonic() - startedAt > patienceMs)
      throw new Fault(
        'node-not-yet',
        `store and node are not at one height: ${JSON.stringify(ours)}, ${JSON.stringify(theirs)}`,
      )
    await clock.sleep(waitMs, signal)
  }
}
