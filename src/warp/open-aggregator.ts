/** Puts an aggregator together from what the operator configured. The one entry of this folder. */

import type { World } from '../core/world.ts'
import { parsePeer } from '../peer/address-book.ts'
import { bootstrappersOf } from '../peer/bootstrappers.ts'
import { openIdentity } from '../peer/identity.ts'
import { defaultPeerLimits, type PeerLimits } from '../peer/limits.ts'
import { PeerPool } from '../peer/pool.ts'
import type { Log } from '../telemetry/log.ts'
import { type Aggregator, createAggregator } from './aggregator.ts'
import { openBls } from './bls/bls-native.ts'
import type { MessageSource } from './messages/message-source.ts'
import { nodeMessages } from './messages/node-messages.ts'
import { createNode } from './node.ts'
import { nodeValidators, type ValidatorSource } from './validator-source.ts'

/** Settings of an aggregator, for one network. */
export type AggregatorSettings = {
  readonly networkId: number
  /** Base URL of our node; empty where there is none, and others give all. */
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

/** Knowledge of the product, instead of or besides our node's. */
export type AggregatorSources = {
  /** Our index of the P-Chain; without it the node's, which knows no removed validators. */
  readonly messages?: MessageSource | undefined
  readonly validators?: ValidatorSource | undefined
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
    nodePeers: settings.nodeUrl === '' ? undefined : node.peers,
    limits: settings.limits ?? defaultPeerLimits,
    configured,
    bootstrappers: bootstrappersOf(settings.networkId),
    allowPrivateIps: settings.allowPrivateIps,
  })
  const validators = sources.validators ?? nodeValidators(node, world.clock)
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
