/**
 * The network's peers as source of a primary network: P and X, and C where it is wanted, without a
 * node. What only a node knows comes from one where there is one.
 */

import { encode } from '../../codec/cursor.ts'
import { readGenesis } from '../../codec/primary/genesis.ts'
import { emptyId } from '../../codec/primary/ids.ts'
import { pBlock } from '../../codec/primary/p-block.ts'
import { equalBytes } from '../../core/bytes.ts'
// oxlint-disable-next-line no-restricted-imports -- checkpoints are our own data, no node's text
import { parseId } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { sha256 } from '../../core/hash.ts'
import { itemAt } from '../../core/item-at.ts'
import { pBlockTypes } from '../../core/type-ids.ts'
import type { World } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'
import { openBlock, openCBlock } from '../primary/containers.ts'
import type {
  BlockBytes,
  CBlock,
  PrimaryChain,
  PrimaryIdentity,
  PrimarySource,
  ValidatorHealth,
} from '../primary/primary-source.ts'
import { BlockPeers, type Peers } from './block-peers.ts'
import { ChainBlocks, type ContainersWanted } from './chain-blocks.ts'
import { BlockSpool } from './spool.ts'
import { TipVote } from './tip-vote.ts'
import { type Staked, Voters } from './voters.ts'

/** All that the source reads with. */
export type PeerSourceOptions = {
  readonly peers: Peers
  readonly networkId: number
  /** Node ids of those who are believed before validators are known. */
  readonly bootstrappers: readonly string[]
  /** Ids of accepted blocks, by chain id in cb58. */
  readonly checkpoints: Readonly<Record<string, readonly string[]>>
  /** Genesis bytes the network may have: more than one where nodes move the time of its start. */
  readonly genesis: () => Promise<readonly Uint8Array[]>
  /** Unix seconds of upgrades by upstream's name; those of the tables where a name is missing. */
  readonly upgrades: Readonly<Record<string, number>>
  /** Time of the newest upgrade known, Unix seconds. */
  readonly newestUpgrade: number
  readonly stored: StoredNetwork
  /** Gives uptimes, and what the X-Chain had before its blocks. */
  readonly node: PrimarySource | undefined
  /** Folder for blocks that wait for their ancestors. */
  readonly folder: string
  /** Bytes of a chain in that folder; half a GiB. */
  readonly spoolLimit?: number
  /** Between two questions for ancestors to one peer, milliseconds; a second. */
  readonly everyMs?: number
  readonly world: Pick<World, 'clock' | 'random' | 'files'>
  readonly log: Log
}

/** Questions to the store. */
export type StoredNetwork = {
  readonly validators: () => Promise<readonly Staked[]>
  /** Outer id; `undefined` where there is none. */
  readonly blockId: (chain: PrimaryChain, height: number) => Promise<Uint8Array | undefined>
}

type Heights = { readonly from: number; readonly until: number }

const usualSpoolLimit = 2 ** 29
const firstVoteMs = 20_000
const lookMs = 250

/** A source over peers. */
export class PeerSource implements PrimarySource {
  readonly #options: PeerSourceOptions
  readonly #voters: Voters
  readonly #blockPeers: BlockPeers
  readonly #chains = new Map<PrimaryChain, Promise<ChainBlocks>>()
  readonly #opened = new Map<PrimaryChain, ChainBlocks>()
  #identity: Promise<PrimaryIdentity> | undefined
  #loggedUpgrade = ''

  constructor(options: PeerSourceOptions) {
    this.#options = options
    this.#blockPeers = new BlockPeers(options.peers, options.world.clock, options.everyMs)
    const isRead = (): boolean => this.#opened.get('P')?.isRead === true
    const staked = async (): Promise<readonly Staked[] | undefined> =>
      isRead() ? options.stored.validators() : undefined
    this.#voters = new Voters({ ...options, staked })
  }

  async identity(signal: AbortSignal): Promise<PrimaryIdentity> {
    this.#identity ??= this.#readIdentity(signal)
    try {
      return await this.#identity
    } catch (error) {
      this.#identity = undefined
      throw error
    }
  }

  async headHeight(chain: PrimaryChain, signal: AbortSignal): Promise<number> {
    return (await this.#blocksOf(chain, signal)).head(signal)
  }

  async hasIndex(): Promise<boolean> {
    return true
  }

  async blocks(chain: 'P' | 'X', range: Heights, signal: AbortSignal): Promise<BlockBytes[]> {
    const open = (height: number, bytes: Uint8Array): BlockBytes =>
      openBlock(chain, height, bytes).block
    return this.#read(chain, { ...range, open }, signal)
  }

  async cBlocks(range: Heights, signal: AbortSignal): Promise<CBlock[]> {
    const open = (_: number, bytes: Uint8Array): CBlock => openCBlock(bytes).block
    return this.#read('C', { ...range, open }, signal)
  }

  async earlyCount(signal: AbortSignal): Promise<number> {
    return this.#options.node?.earlyCount(signal) ?? 0
  }

  async earlyTransactions(range: Heights, signal: AbortSignal): Promise<Uint8Array[]> {
    return this.#options.node?.earlyTransactions(range, signal) ?? []
  }

  async health(signal: AbortSignal): Promise<readonly ValidatorHealth[]> {
    return this.#options.node?.health(signal) ?? []
  }

  note(chain: PrimaryChain): string | undefined {
    const { peers } = this.#options
    return this.#opened.get(chain)?.note() ?? peers.trouble() ?? this.#unknownUpgrade()
  }

  votedBy(): string {
    return this.#voters.text()
  }

  /** Returns words about an upgrade that most peers know and we do not. */
  #unknownUpgrade(): string | undefined {
    const { peers, newestUpgrade, log } = this.#options
    const nodeIds = this.#voters.all()
    const times = nodeIds.flatMap((nodeId) => peers.session(nodeId)?.upgradeTime ?? [])
    const later = times.map(Number).filter((time) => time > newestUpgrade)
    if (2 * later.length <= times.length) return undefined
    const time = itemAt(
      later.toSorted((a, b) => a - b),
      later.length >> 1,
    )
    // A peer may say any number.
    const day = new Date(Math.min(time * 1_000, 8.64e15)).toISOString()
    const text = `this version does not know the network's upgrade of ${day}: update it before`
    if (text !== this.#loggedUpgrade) log.warn(text, {})
    this.#loggedUpgrade = text
    return text
  }

  async #read<T>(
    chain: PrimaryChain,
    wanted: ContainersWanted<T>,
    signal: AbortSignal,
  ): Promise<T[]> {
    const blocks = await this.#blocksOf(chain, signal)
    const found: T[] = []
    for (let { from } = wanted; from < wanted.until; from = wanted.from + found.length)
      found.push(...(await blocks.read({ ...wanted, from }, signal)))
    return found
  }

  async #blocksOf(chain: PrimaryChain, signal: AbortSignal): Promise<ChainBlocks> {
    const known = this.#chains.get(chain)
    if (known !== undefined) return known
    const chainId = chain === 'P' ? emptyId : (await this.identity(signal)).chainIds[chain]
    const opening = this.#chains.get(chain) ?? this.#open(chain, chainId)
    this.#chains.set(chain, opening)
    return opening
  }

  async #open(chain: PrimaryChain, chainId: Uint8Array): Promise<ChainBlocks> {
    const { world, peers, folder, checkpoints, stored, log, spoolLimit } = this.#options
    const { clock } = world
    const blocks = new ChainBlocks({
      chain,
      chainId,
      spool: await BlockSpool.open(world.files, `${folder}/${chain}`),
      peers: this.#blockPeers,
      vote: new TipVote(peers, clock, chainId),
      voters: () => this.#voters.get(),
      givers: () => this.#voters.all(),
      checkpoints: checkpointsOf(checkpoints, chainId),
      storedId: (height) => stored.blockId(chain, height),
      spoolLimit: spoolLimit ?? usualSpoolLimit,
      clock,
      log,
    })
    this.#opened.set(chain, blocks)
    return blocks
  }

  async #readIdentity(signal: AbortSignal): Promise<PrimaryIdentity> {
    const { genesis, networkId, upgrades } = this.#options
    const all = await genesis()
    const found = all.length === 1 ? itemAt(all, 0) : await this.#acceptedGenesis(all, signal)
    const { xChainId: X, cChainId: C } = readGenesis(found)
    const genesisId = sha256(found)
    return { networkId, nodeVersion: 'peers', genesisId, chainIds: { X, C }, upgrades }
  }

  /** Of several that a local network may have the one whose first block is accepted. */
  async #acceptedGenesis(all: readonly Uint8Array[], signal: AbortSignal): Promise<Uint8Array> {
    const { peers, world } = this.#options
    const { clock } = world
    // Block 0 of the P-Chain commits the genesis.
    const ids = all.map((bytes) => {
      const genesisId = sha256(bytes)
      const typeId = pBlockTypes.ApricotCommitBlock
      return sha256(encode(pBlock, { typeId, parentId: genesisId, height: 0n }))
    })
    const vote = new TipVote(peers, clock, emptyId)
    for (const until = clock.monotonic() + firstVoteMs; clock.monotonic() < until;) {
      const [accepted] = await vote.accepted(await this.#voters.get(), ids)
      const at = ids.findIndex((id) => accepted !== undefined && equalBytes(id, accepted.id))
      if (at >= 0) return itemAt(all, at)
      await clock.sleep(lookMs, signal)
    }
    const why = peers.trouble() ?? 'too few peers know the genesis of this network'
    throw new Fault('node-unreachable', why)
  }
}

function checkpointsOf(
  all: Readonly<Record<string, readonly string[]>>,
  chainId: Uint8Array,
): readonly Uint8Array[] {
  const found = Object.entries(all).find(([id]) => equalBytes(parseId(id), chainId))
  return (found?.[1] ?? []).map((id) => parseId(id))
}
