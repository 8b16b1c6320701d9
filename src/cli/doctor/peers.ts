/** Check of the peers that a network's blocks come from. */

import { emptyId } from '../../codec/primary/ids.ts'
import type { NetworkConfig } from '../../config/chain-settings.ts'
import type { World } from '../../core/world.ts'
import { connectPeers } from '../../indexing/primary/run/open-peers.ts'
import { networkIdOf } from '../../service/chain-specs.ts'
import { quorumPercent } from '../../source/peers/tip-vote.ts'
import { silentLog } from '../../telemetry/log.ts'
import { fine, problem, type Finding } from './finding.ts'

const lookMs = 100

/**
 * Connects to those who vote first in network `name`, for `timeoutMs` at most; nothing where its blocks do not
 * come from peers.
 */
export async function checkPeers(
  name: 'mainnet' | 'fuji',
  network: NetworkConfig,
  { world, timeoutMs }: { readonly world: World; readonly timeoutMs: number },
): Promise<Finding[]> {
  if (network.source !== 'peers') return []
  const over = new AbortController()
  const of = { networkId: networkIdOf(name, network), addresses: network.peers }
  const { peers, nodeIds } = connectPeers(of, { world, log: silentLog, signal: over.signal })
  const connected = (): number =>
    nodeIds.filter((nodeId) => peers.session(nodeId) !== undefined).length
  const isEnough = (): boolean => 100 * connected() >= quorumPercent * nodeIds.length
  try {
    const until = world.clock.monotonic() + timeoutMs
    while (!isEnough() && world.clock.monotonic() < until) {
      peers.want(nodeIds, emptyId)
      await world.clock.sleep(lookMs)
    }
    const trouble = peers.trouble()
    const reached = `${connected()} of ${nodeIds.length} bootstrap nodes answer`
    if (isEnough() && trouble === undefined)
      return [fine(name, `its blocks come from peers; ${reached}`)]
    return [problem(name, reached, trouble ?? `${quorumPercent} % must; see that they run`)]
  } finally {
    over.abort()
  }
}
