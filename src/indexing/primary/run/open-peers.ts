/** Blocks from the network's peers: the connections, and what they must know of the network. */

import { toNodeId } from '../../../core/cb58.ts'
import { Fault } from '../../../core/fault.ts'
import { installationFolder } from '../../../core/installation.ts'
import { isObject, jsonOf } from '../../../core/json.ts'
import type { Files, World } from '../../../core/world.ts'
import { parsePeer } from '../../../peer/address-book.ts'
import { bootstrappersOf } from '../../../peer/bootstrappers.ts'
import { createIdentity } from '../../../peer/identity.ts'
import { defaultPeerLimits } from '../../../peer/limits.ts'
import { PeerPool } from '../../../peer/pool.ts'
import { PeerSource, type StoredNetwork } from '../../../source/peers/peer-source.ts'
import { timesOf } from '../../../source/primary/node-source.ts'
import type { PrimarySource } from '../../../source/primary/primary-source.ts'
import { getCheckpoint } from '../../../store/checkpoint.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { blockById } from '../../../store/query/primary/blocks.ts'
import { stakersAt } from '../../../store/query/primary/validators.ts'
import { blockIdOf, chainNumbers } from '../../../store/schema/primary/position.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { PeersSpec, PrimaryStreamSpec } from '../../stream/stream-spec.ts'
import { localStart, unscheduled } from '../batch/rules.ts'
import { possibleGenesis } from './load-genesis.ts'

const names: Readonly<Record<number, string>> = { 1: 'mainnet', 5: 'fuji' }
/** Granite. Source: avalanchego upgrade/upgrade.go. */
const newestUpgrades: Readonly<Record<number, number>> = { 1: 1_763_568_000, 5: 1_761_750_000 }
/** A thousand validators with thirty delegators each. */
const maxStakers = 65_536

/** A source over the peers of a network, connected until the signal is aborted. Throws `bad-config`. */
export async function openPeers(
  spec: PrimaryStreamSpec,
  { networkId, addresses, upgradeFile, folder }: PeersSpec,
  {
    world,
    log,
    signal,
    stored,
    node,
  }: {
    readonly world: World
    readonly log: Log
    readonly signal: AbortSignal
    readonly stored: StoredNetwork
    readonly node: PrimarySource | undefined
  },
): Promise<PrimarySource> {
  const { peers, nodeIds } = connectPeers({ networkId, addresses }, { world, log, signal })
  const upgrades = await upgradesIn(upgradeFile, world.files)
  const scheduled = Object.values(upgrades).filter((time) => time < unscheduled)
  return new PeerSource({
    world,
    log,
    stored,
    node,
    peers,
    networkId,
    bootstrappers: nodeIds,
    checkpoints: await checkpointsIn(networkId, world.files),
    genesis: () => possibleGenesis(spec.genesis, networkId, world),
    upgrades,
    newestUpgrade: Math.max(newestUpgrades[networkId] ?? localStart, ...scheduled),
    folder,
  })
}

/**
 * Connections to a network, until the signal is aborted, and the ids of the first voters. Throws
 * `bad-config` where none is known.
 */
export function connectPeers(
  { networkId, addresses }: Pick<PeersSpec, 'networkId' | 'addresses'>,
  {
    world,
    log,
    signal,
  }: { readonly world: World; readonly log: Log; readonly signal: AbortSignal },
): { readonly peers: PeerPool; readonly nodeIds: readonly string[] } {
  const configured = addresses.map(parsePeer)
  const bootstrappers = configured.length > 0 ? [] : bootstrappersOf(networkId)
  const known = [...configured, ...bootstrappers]
  if (known.length === 0)
    throw new Fault('bad-config', 'blocks of a private network need peers to begin with (peers)')
  const peers = new PeerPool({
    world,
    log,
    networkId,
    // Another identity than the aggregator's, which other threads have: a node takes one connection
    // of each.
    identity: createIdentity(world),
    nodePeers: undefined,
    limits: defaultPeerLimits,
    configured,
    bootstrappers,
    allowPrivateIps: names[networkId] === undefined,
  })
  signal.addEventListener('abort', () => void peers.close(), { once: true })
  return { peers, nodeIds: known.map(({ nodeId }) => nodeId) }
}

/** Validators and blocks of a store, as far as `reader` is there. */
export function storedNetwork(reader: () => Reader | undefined): StoredNetwork {
  return {
    validators: async () => {
      const store = reader()
      const height = store && (await getCheckpoint(store, 'P'))?.height
      if (store === undefined || height === undefined) return []
      const subnetId = new Uint8Array(32)
      const weights = new Map<string, bigint>()
      for (const one of (await stakersAt(store, { subnetId, height, limit: maxStakers })) ?? []) {
        const nodeId = toNodeId(one.nodeId)
        weights.set(nodeId, (weights.get(nodeId) ?? 0n) + one.weight)
      }
      return Array.from(weights, ([nodeId, weight]) => ({ nodeId, weight }))
    },
    blockId: async (chain, height) => {
      const store = reader()
      if (store === undefined || height < 0) return undefined
      return (await blockById(store, blockIdOf(chainNumbers[chain], height)))?.outerId
    },
  }
}

async function upgradesIn(path: string, files: Files): Promise<Readonly<Record<string, number>>> {
  if (path === '') return {}
  const bytes = await files.read(path)
  const times = bytes === undefined ? undefined : jsonOf(bytes)
  if (!isObject(times)) throw new Fault('bad-config', `not a file of upgrade times: ${path}`)
  return timesOf(times)
}

async function checkpointsIn(
  networkId: number,
  files: Files,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const name = names[networkId]
  if (name === undefined) return {}
  const url = new URL('data/genesis/checkpoints.json', installationFolder)
  const bytes = await files.read(decodeURI(url.pathname))
  if (bytes === undefined)
    throw new Fault('bad-config', `a file of Firn is missing: ${url.pathname}`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a file of this package
  const all = jsonOf(bytes) as Readonly<Record<string, Record<string, readonly string[]>>>
  return all[name] ?? {}
}
