import { readGenesis } from '../../codec/primary/genesis.ts'
import { emptyId } from '../../codec/primary/ids.ts'
import { Fault } from '../../core/fault.ts'
import { connectPeers, storedNetwork } from '../../indexing/primary/run/open-peers.ts'
import { networkIdOf, primaryStream } from '../../service/chain-specs.ts'
import { openPrimaryReader } from '../../service/stores/open-primary.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import { percentOf, quorumPercent, TipVote } from '../../source/peers/tip-vote.ts'
import { Voters } from '../../source/peers/voters.ts'
import { latestBlocks, genesisId, rawBlocksFrom } from '../../store/query/primary/blocks.ts'
import { blockOfPos, heightOfBlock, posRangeOf } from '../../store/schema/primary/position.ts'
import { silentLog } from '../../telemetry/log.ts'
import { openWorld } from '../../world/world.ts'
import { loadConfig } from '../discovery/load-config.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Flags, networkIn } from '../flags.ts'

/** Time to reach the peers. */
const connectMs = 20_000
const lookMs = 250

/**
 * Asks a sample of validators, drawn by the stake that the store has, whether they accepted the newest
 * stored blocks of P and X: the bootstrap nodes where too few of these can be reached. Prints how many
 * of the votes did; exit code 1 where these are less than four fifths.
 */
export async function verifyPeers(flags: Flags): Promise<void> {
  const name = networkIn(flags)
  const { config } = loadConfig(flags)
  const { peers: addresses = [], networkId = 0 } = config.networks[name] ?? {}
  const id = networkIdOf(name, { networkId })
  const over = new AbortController()
  await using world = openWorld()
  await using store = await openPrimaryReader(storeLocation(config), primaryStream(name).key)
  try {
    const [genesis] = await rawBlocksFrom(store, genesisId, 1)
    if (genesis === undefined) throw new Fault('not-found', `nothing is indexed yet: ${name}`)
    const parts = { world, log: silentLog, signal: over.signal }
    const { peers, nodeIds } = connectPeers({ networkId: id, addresses }, parts)
    const staked = storedNetwork(() => store).validators
    const voters = new Voters({ peers, bootstrappers: nodeIds, staked, world })
    const until = world.clock.monotonic() + connectMs
    let sample = await voters.get()
    const isMissing = (nodeId: string): boolean => peers.session(nodeId) === undefined
    while (voters.all().some(isMissing) && world.clock.monotonic() < until) {
      await world.clock.sleep(lookMs)
      sample = await voters.get()
    }
    const trouble = peers.trouble()
    if (trouble !== undefined) console.log(trouble)
    const chainIds = { P: emptyId, X: readGenesis(genesis.bytes).xChainId }
    for (const chain of ['P', 'X'] as const) {
      const range = posRangeOf(chain)
      const [newest] = await latestBlocks(store, {
        from: blockOfPos(range.from),
        until: blockOfPos(range.until),
        limit: 1,
      })
      if (newest?.outerId === undefined) {
        console.log(`${chain}: not compared: the store has no block with a proposer`)
        continue
      }
      const vote = new TipVote(peers, world.clock, chainIds[chain])
      const [counted] = await vote.count(sample, [newest.outerId], 100)
      const yes = percentOf(sample, counted?.holders ?? [])
      const height = heightOfBlock(newest.id)
      console.log(
        `${chain} ${height}: accepted by ${yes} % of ${sample.name}, ${quorumPercent} % are needed`,
      )
      if (yes < quorumPercent) process.exitCode = exitCodes.failed
    }
  } finally {
    over.abort()
  }
}
