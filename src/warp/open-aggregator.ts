/** Puts an aggregator together from what the operator configured. The one entry of this folder. */

import type { World } from '../core/world.ts'
import type { Log } from '../telemetry/log.ts'
import { type Aggregator, createAggregator } from './aggregator.ts'
import { openBls } from './bls-native.ts'
import { Cache } from './cache.ts'
import { openIdentity } from './identity.ts'
import type { MessageSource } from './message-source.ts'
import { nodeMessages } from './node-messages.ts'
import { createNode, type Node } from './node.ts'
import { parsePeer } from './peer/address-book.ts'
import { bootstrappersOf } from './peer/bootstrappers.ts'
import type { Surroundings } from './peer/greeting.ts'
import { defaultPeerLimits, type PeerLimits } from './peer/limits.ts'
import { PeerPool } from './peer/pool.ts'
import {
  comparedValidators,
  nodeValidators,
  type ReplayedValidators,
  type ValidatorSource,
} from './validator-source.ts'

/** Settings of an aggregator, for one network. */
export type AggregatorSettings = {
  readonly networkId: number
  /** Base URL of our node. */
  readonly nodeUrl: string
  /** Folder of the peer's identity; what is missing is made. */
  readonly stakingKeyDir: string
  /** `NodeID-…@ip:port`, for nodes our node does not name. */
  readonly peers: readonly string[]
  /** Dial private addresses that nodes announce; right for every network but the public two. */
  readonly allowPrivateIps: boolean
  readonly timeoutMs: number
  /** P-Chain blocks by which a caller may go back for the validators; 0: to the first. */
  readonly maxLookback: number
  /** Other limits than those towards default nodes. */
  readonly limits?: PeerLimits
}

/** Facts that the product knows better than a node. */
export type AggregatorSources = {
  /** Our index of the P-Chain; without it the node's, which knows no removed validators. */
  readonly messages?: MessageSource | undefined
  readonly replayed?: ReplayedValidators | undefined
}

/**
 * An aggregator for one network. Makes no connection before the first request. Logs the node id,
 * which private L1s must let in, as `warp-identity`. Throws `bad-config`, `bad-text`.
 */
export async function openAggregator(
  world: World,
  log: Log,
  settings: AggregatorSettings,
  sources: AggregatorSources = {},
): Promise<Aggregator> {
  const identity = await openIdentity(world, settings.stakingKeyDir)
  const configured = settings.peers.map(parsePeer)
  const node = createNode(world.transport, settings.nodeUrl)
  log.info('warp-identity', { nodeId: identity.nodeId, directory: settings.stakingKeyDir })
  const pool = new PeerPool({
    world,
    log,
    networkId: settings.networkId,
    identity,
    surroundings: surroundingsOf(node, world),
    limits: settings.limits ?? defaultPeerLimits,
    configured,
    bootstrappers: bootstrappersOf(settings.networkId),
    allowPrivateIps: settings.allowPrivateIps,
  })
  const validators = validatorsOf(node, world, log, sources.replayed)
  return createAggregator({
    world,
    log,
    networkId: settings.networkId,
    nodeId: identity.nodeId,
    bls: await openBls(log, world.random),
    pool,
    validators,
    messages: sources.messages ?? nodeMessages(node),
    timeoutMs: settings.timeoutMs,
    maxLookback: settings.maxLookback,
  })
}

function validatorsOf(
  node: Node,
  world: World,
  log: Log,
  replayed: ReplayedValidators | undefined,
): ValidatorSource {
  const told = nodeValidators(node, world.clock)
  return replayed === undefined ? told : comparedValidators(told, replayed, log)
}

/** Time for which the version our node told is presented to others. */
const greetingMs = 60_000

/** Reads from our node who validates the network around it. */
function surroundingsOf(node: Node, world: Pick<World, 'clock'>): Surroundings {
  const greetings = new Cache<Awaited<ReturnType<Surroundings['greeting']>>>(world.clock, {
    maxEntries: 1,
    keepMs: greetingMs,
  })
  return {
    greeting: (signal) =>
      greetings.get('', async () => {
        const [version, upgradeTime] = await Promise.all([
          node.version(signal),
          node.upgradeTime(signal),
        ])
        return { version, upgradeTime }
      }),
    peers: (signal) => node.peers(signal),
  }
}
