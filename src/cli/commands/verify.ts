import { openNetwork } from '../../api/primary/network/networks.ts'
import { Fault } from '../../core/fault.ts'
import { primaryStream } from '../../service/chain-specs.ts'
import { openPrimaryReader } from '../../service/stores/open-primary.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import { createNodeApi } from '../../source/primary/node-api.ts'
import type { PrimaryChain } from '../../store/schema/primary/position.ts'
import type { Report } from '../../verify/report.ts'
import { type Verified, verifyPrimary } from '../../verify/verify-primary.ts'
import { openWorld } from '../../world/world.ts'
import { loadConfig } from '../discovery/load-config.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Flags, networkIn, sampleOf } from '../flags.ts'

/** Long enough for a mainnet store with a sample of hundreds. */
const limitMs = 3_600_000

/**
 * Compares what is indexed of a primary network with what a node says of its state.
 *
 * Prints what was compared, how often, and every difference; exit code 1 when there is any, or when
 * something was left out because blocks came too fast.
 */
export async function verify(flags: Flags): Promise<void> {
  const name = networkIn(flags)
  const sample = sampleOf(flags)
  const world = openWorld()
  const { config } = loadConfig(flags)
  const url =
    typeof flags['node'] === 'string' ? flags['node'] : (config.networks[name]?.nodeUrl ?? '')
  if (url === '') throw new Fault('bad-parameter', 'no node to compare with: give --node <url>')
  const location = storeLocation(config)
  await using store = await openPrimaryReader(location, primaryStream(name).key)
  const network = await openNetwork(name, store)
  if (network === undefined)
    throw new Fault('not-found', `nothing is indexed yet of the primary network: ${name}`)
  const node = createNodeApi({
    transport: world.transport,
    url,
    timeoutMs: config['source.timeoutMs'],
    maxReplyBytes: config['source.maxReplyBytes'],
  })
  const verified = await verifyPrimary({
    network,
    node,
    clock: world.clock,
    signal: AbortSignal.timeout(limitMs),
    sample,
  })
  printPrimary(verified)
  const { report, interrupted } = verified
  if (report.differences().length > 0 || interrupted.length > 0) process.exitCode = exitCodes.failed
}

/** Prints what was compared of a primary network, how often, and every difference. */
function printPrimary({ from, heights, report, interrupted }: Verified): void {
  const span = (chain: PrimaryChain): string =>
    from[chain] === heights[chain]
      ? `${chain} ${heights[chain]}`
      : `${chain} ${from[chain]} to ${heights[chain]}`
  console.log(`heights: ${span('P')}, ${span('X')}, ${span('C')}`)
  for (const name of interrupted)
    console.log(`${name}: not all compared: blocks came faster than the node answers`)
  printReport(report)
}

/** Prints what was compared, how often, what was not, and every difference. */
export function printReport(report: Report): void {
  for (const [check, count] of report.counts()) console.log(`${check.padEnd(44)} ${count}`)
  for (const [check, reason] of report.skipped()) console.log(`${check}: not compared: ${reason}`)
  for (const { check, subject, ours, theirs } of report.differences())
    console.log(`DIFFERENCE ${check}, ${subject}: ours ${ours}, node ${theirs}`)
  console.log(`differences: ${report.differences().length}`)
}
