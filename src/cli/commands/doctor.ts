import { faultOf } from '../../core/fault.ts'
import { chainSpecs, primaryStream, streamSpecs } from '../../service/chain-specs.ts'
import { keepsHistoryInTables, storeLocation } from '../../service/stores/store-location.ts'
import { allMeta } from '../../store/meta.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { controlTables } from '../../store/schema/control.ts'
import { openWorld } from '../../world/world.ts'
import { checkChain } from '../doctor/chain.ts'
import { findingText, type Finding, warning } from '../doctor/finding.ts'
import { checkMachine } from '../doctor/machine.ts'
import { checkNetwork } from '../doctor/network.ts'
import { checkPeers } from '../doctor/peers.ts'
import { checkPatterns, checkStores } from '../doctor/stores.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { configOf } from '../stores/configured-stores.ts'

/** Longest wait for one answer of a node: a doctor does not keep people waiting. */
const timeoutMs = 10_000

/**
 * Checks the machine, the stores and every node of the configuration; prints a line for each
 * check, with what to do. Exit code 1 when there is a problem.
 */
export async function doctor(flags: Flags): Promise<void> {
  const config = await configOf(flags)
  await using world = openWorld()
  const location = storeLocation(config)
  const limits = { timeoutMs, maxReplyBytes: config['source.maxReplyBytes'] }
  let worst = 0
  const print = (findings: readonly Finding[]): void => {
    for (const finding of findings) {
      if (finding.level === 'problem') worst++
      console.log(findingText(finding))
    }
  }
  print(await checkMachine(config, world.transport))
  const chains = chainSpecs(config)
  const stores = [...chains.map(({ spec }) => spec), ...streamSpecs(config, chains)]
  const names = stores.map(({ key }) => key)
  print(checkPatterns(location, names))
  if (chains.length > 0 && keepsHistoryInTables(config)) print([historyInTables])
  print(await checkStores(location, names, world.clock))
  for (const { config: chain, spec } of chains) {
    const stored = await metaOf(location, spec.key)
    print(await checkChain(chain, { world, ...limits, stored }))
  }
  for (const [name, network] of Object.entries(config.networks))
    if (network !== undefined) {
      const known = name === 'mainnet' ? name : 'fuji'
      print(await checkPeers(known, network, { world, timeoutMs }))
      const { key } = primaryStream(known)
      const stored = await metaOf(location, key)
      print(await checkNetwork(name, network, { transport: world.transport, ...limits, stored }))
    }
  console.log(worst === 0 ? 'no problems' : `${worst} problem${worst === 1 ? '' : 's'}`)
  if (worst > 0) process.exitCode = exitCodes.failed
}

const historyInTables = warning(
  'history',
  'it stays in tables of PostgreSQL, several times as large as in files',
  'name a bucket, or a folder that all hosts share, in index.store',
)

/** Facts of a store about its chain or network; none where there is no store. */
async function metaOf(location: StoreLocation, name: string): Promise<ReadonlyMap<string, string>> {
  try {
    await using database = await openStore(location, name, controlTables, 'read')
    return await allMeta(database)
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    return new Map()
  }
}
