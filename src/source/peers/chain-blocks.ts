/**
 * One chain's blocks from peers, by height.
 *
 * The network's vote names a block, and its ancestors are fetched from there down to where they are
 * wanted. Each block names its parent by the hash of that one's bytes, so that a peer is believed
 * nothing. Where checkpoints are known, and beside places that the spool kept, several stretches
 * are fetched at once.
 */

import { setBounded } from '../../core/bounded-maps.ts'
import { equalBytes, keyOf, toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'
import { heightIn, linkOf } from '../primary/containers.ts'
import type { PrimaryChain } from '../primary/primary-source.ts'
import type { BlockPeers } from './block-peers.ts'
import type { BlockSpool, Stretch } from './spool.ts'
import type { Accepted, Electorate, TipVote } from './tip-vote.ts'

type ChainBlocksOptions = {
  readonly chain: PrimaryChain
  readonly chainId: Uint8Array
  readonly spool: BlockSpool
  readonly peers: BlockPeers
  readonly vote: TipVote
  /** Who says what is accepted: another list when others do. */
  readonly voters: () => Promise<Electorate>
  /** Whom blocks are requested of. */
  readonly givers: () => readonly string[]
  /** Ids of blocks that the network's own nodes know as accepted. */
  readonly checkpoints: readonly Uint8Array[]
  /** Id of a block as it is stored; `undefined` where nothing is stored, or no outer id. */
  readonly storedId: (height: number) => Promise<Uint8Array | undefined>
  /** Bytes on the disk. */
  readonly spoolLimit: number
  readonly clock: Clock
  readonly log: Log
}

/** A block of the chain. */
type Place = { readonly height: number; readonly id: Uint8Array }

/** Containers that follow each other downwards, and the parent of the last. */
type Chained = { readonly items: readonly Uint8Array[]; readonly parentId: Uint8Array }

/** Heights `[from, until)`, and what is made of a container, which keeps nothing of its bytes. */
export type ContainersWanted<T> = {
  readonly from: number
  readonly until: number
  readonly open: (height: number, container: Uint8Array) => T
}

/** Between two polls: at the head, and with much to fetch before it matters. */
const pollMs = 1_000
const farPollMs = 30_000
const nearHeights = 64
/** Waiting for the first vote; then whoever waits learns why. */
const firstVoteMs = 20_000
const firstLookMs = 250
/** So few missing blocks are requested one by one: ancestors come by the thousand. */
const fewBlocks = 8
/** Stretches fetched at once. */
const stretchesAtOnce = 4
/** Checkpoints are worth a question each when more than this is missing. */
const farHeights = 16_384
/**
 * Blocks below those read last that are kept, where there is room, for who reads them again after a
 * failure.
 */
const keptHeights = 16_384
const keptInMemory = 64
const maxRecent = 1_024

/** Blocks of one chain. */
export class ChainBlocks {
  readonly #options: ChainBlocksOptions
  /** Accepted blocks of late, by `keyOf` their id. */
  readonly #recent = new Map<string, number>()
  readonly #walks = new Map<Stretch, Promise<void>>()
  #tip: Place | undefined
  /** The last block that was read. */
  #given: Place | undefined
  #polledAt = Number.NEGATIVE_INFINITY
  #voters: Electorate | undefined
  #hasCheckpoints = false
  /** How often the head was read since something was read. */
  #headsInARow = 0
  #isDoubted = false
  /** The height that is waited for. */
  #awaited: number | undefined

  constructor(options: ChainBlocksOptions) {
    this.#options = options
  }

  /** True once everything up to the tip was read, or all of it is stored already. */
  get isRead(): boolean {
    if (this.#tip === undefined) return false
    return (this.#given?.height ?? -1) >= this.#tip.height || this.#headsInARow > 2
  }

  /** Why a reader waits; `undefined` where none does. */
  note(): string | undefined {
    const top = this.#tip?.height
    if (top === undefined && this.#voters !== undefined)
      return this.#options.vote.missing(this.#voters)?.why
    if (top === undefined || this.#awaited === undefined) return undefined
    const until = (this.#options.spool.above(this.#awaited)?.low ?? top) - 1
    return `blocks ${this.#awaited} to ${until} are being fetched from peers; the network is at ${top}`
  }

  /**
   * Height of the newest block that the network accepted. Throws `node-unreachable` while too few
   * peers answer, `source-mismatch` when they contradict what was accepted before.
   */
  async head(signal: AbortSignal): Promise<number> {
    const { clock, vote } = this.#options
    const from = clock.monotonic()
    this.#headsInARow++
    while (this.#tip === undefined && clock.monotonic() - from < firstVoteMs) {
      await this.#poll(await this.#options.voters(), signal)
      if (this.#tip === undefined) await clock.sleep(firstLookMs, signal)
    }
    const voters = await this.#options.voters()
    if (this.#tip === undefined) {
      const why = vote.missing(voters)?.why ?? 'peers do not agree on a block'
      throw new Fault('node-unreachable', why)
    }
    const isFar = this.#given !== undefined && this.#tip.height - this.#given.height > nearHeights
    const isDue = clock.monotonic() - this.#polledAt >= (isFar ? farPollMs : pollMs)
    if (isDue || voters !== this.#voters) await this.#poll(voters, signal)
    const missing = isFar ? undefined : vote.missing(voters)
    if (missing === undefined) return this.#tip.height
    const agoMs = clock.monotonic() - missing.since
    const since = Number.isFinite(agoMs)
      ? ` since ${new Date(clock.now() - agoMs).toISOString().slice(0, 19)}Z`
      : ''
    throw new Fault('node-unreachable', `peers do not agree on a block${since}: ${missing.why}`)
  }

  /** Blocks as they are wanted, ascending; as many as are there at once, one at least. */
  async read<T>(wanted: ContainersWanted<T>, signal: AbortSignal): Promise<readonly T[]> {
    const { from, until, open } = wanted
    const { spool } = this.#options
    this.#headsInARow = 0
    const stretch = await this.#reach(from, signal)
    const items = await spool.items(stretch)
    if (items.length === 0) return this.read(wanted, signal)
    const end = stretch.high + 1
    const containers = items.slice(Math.max(0, end - until), end - from).toReversed()
    await this.#checkFollows(from, containers)
    const found = containers.map((container, at) => open(from + at, container))
    if (until >= end) spool.release(stretch)
    await this.#forget(from)
    return found
  }

  async #poll(voters: Electorate, signal: AbortSignal): Promise<void> {
    this.#polledAt = this.#options.clock.monotonic()
    this.#voters = voters
    const heightOf = (id: Uint8Array): number | undefined => this.#recent.get(keyOf(id))
    const accepted = await this.#options.vote.poll(voters, heightOf)
    for (const one of accepted) await this.#accept(one, signal)
  }

  async #accept({ id, holders }: Accepted, signal: AbortSignal): Promise<void> {
    const { spool, storedId } = this.#options
    const { height, container } = await this.#fetchOne(id, holders, signal)
    const known = height === this.#tip?.height ? this.#tip.id : await storedId(height)
    if (known !== undefined && !equalBytes(known, id)) throw this.#contradicts(height)
    setBounded(this.#recent, keyOf(id), height, maxRecent)
    if (this.#tip !== undefined && height <= this.#tip.height) return
    if (spool.covering(height) === undefined) await spool.put(height, [container], false)
    this.#tip = { height, id }
  }

  #contradicts(height: number): Fault {
    const { chain } = this.#options
    const what = `peers accepted another block than was accepted before: ${chain}-Chain ${height}`
    return new Fault('source-mismatch', what, { detail: { chain, height } })
  }

  /** The block with this id. */
  #fetchOne(
    id: Uint8Array,
    holders: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly height: number; readonly container: Uint8Array }> {
    const { chain, chainId, peers, givers } = this.#options
    const read = (items: readonly Uint8Array[]): { height: number; container: Uint8Array } => {
      const [container] = this.#chained(id, items, 1).items
      if (container === undefined) throw new Fault('bad-bytes', 'there is no block')
      return { height: heightIn(chain, container), container: Uint8Array.from(container) }
    }
    return peers.request(givers, { chainId, kind: 'get', id, holders, read }, signal)
  }

  /**
   * The first `most` of containers that follow each other downwards from `id`. Throws `bad-bytes`.
   */
  #chained(id: Uint8Array, containers: readonly Uint8Array[], most: number): Chained {
    let parentId = id
    const items = containers.slice(0, most)
    for (const container of items) {
      const link = linkOf(this.#options.chain, container)
      if (!equalBytes(link.id, parentId)) {
        throw new Fault('bad-bytes', `not the block: ${toHex(parentId)}`)
      }
      parentId = link.parentId
    }
    return { items, parentId }
  }

  /** The stretch with `height`, which is fetched first where it is not there. */
  async #reach(height: number, signal: AbortSignal): Promise<Stretch> {
    const { spool } = this.#options
    for (;;) {
      const here = spool.covering(height)
      this.#awaited = here === undefined ? height : undefined
      if (here !== undefined) return here
      await this.#placeCheckpoints(height, signal)
      const [lowest, ...others] = spool.gaps(height - 1)
      if (lowest === undefined) {
        // The tip was in memory, and its stretch is gone: it is named again.
        this.#tip = undefined
        this.#recent.clear()
        throw new Fault('node-not-yet', `no peer has named a block from ${height} on`)
      }
      for (const { top, floor } of others.slice(0, stretchesAtOnce - 1)) {
        if (2 * spool.bytes < this.#options.spoolLimit) {
          // Its failure shows when it is waited for.
          this.#walk(top, floor, signal).catch(() => undefined)
        }
      }
      await this.#walk(lowest.top, lowest.floor, signal)
    }
  }

  /** Fetches what is below a stretch, as far as `floor`; once, however many wait for it. */
  #walk(top: Stretch, floor: number, signal: AbortSignal): Promise<void> {
    const running = this.#walks.get(top)
    if (running !== undefined) return running
    const walk = this.#fetchBelow(top, floor, signal).finally(() => this.#walks.delete(top))
    this.#walks.set(top, walk)
    return walk
  }

  async #fetchBelow(top: Stretch, floor: number, signal: AbortSignal): Promise<void> {
    const { chain, chainId, spool, peers, givers, spoolLimit } = this.#options
    const lowest = (await spool.items(top)).at(-1)
    if (lowest === undefined) return
    let { parentId } = linkOf(chain, lowest)
    for (let low = top.low; low > floor;) {
      const missing = low - floor
      const kind = missing > fewBlocks ? 'get-ancestors' : 'get'
      const id = parentId
      const read = (items: readonly Uint8Array[]): Chained => this.#chained(id, items, missing)
      const found = await peers.request(givers, { chainId, kind, id, read }, signal)
      const isKept = found.items.length > fewBlocks
      parentId = Uint8Array.from(found.parentId)
      const below = await spool.put(low - 1, found.items, isKept)
      low = below.low
      // A walk ahead leaves room for the one that a reader waits for.
      if (this.#awaited !== floor && 2 * spool.bytes > spoolLimit) return
      while (spool.bytes > spoolLimit && (await spool.thin(low))) continue
    }
  }

  /** Puts the checkpoints above `height` into the spool, once and where there is far to go. */
  async #placeCheckpoints(height: number, signal: AbortSignal): Promise<void> {
    const { checkpoints, spool, log, chain } = this.#options
    const tip = this.#tip
    if (this.#hasCheckpoints || tip === undefined || tip.height - height < farHeights) return
    this.#hasCheckpoints = true
    const place = async (id: Uint8Array): Promise<void> => {
      const found = await this.#fetchOne(id, [], signal)
      const isAhead = found.height > height && found.height < tip.height
      if (isAhead && spool.covering(found.height) === undefined) {
        await spool.put(found.height, [found.container], true)
      }
    }
    const placed = await Promise.allSettled(checkpoints.map(place))
    signal.throwIfAborted()
    const missing = placed.filter(({ status }) => status === 'rejected').length
    log.info('checkpoints placed', { chain, placed: placed.length - missing, missing })
  }

  /**
   * Checks that what is read follows what was read or stored before. What lay on the disk may be of
   * another time: it is fetched anew, and after the second time peers are said to contradict the store.
   * What they gave is never kept, as they may be mended.
   */
  async #checkFollows(from: number, containers: readonly Uint8Array[]): Promise<void> {
    const { chain, spool, storedId, log } = this.#options
    const before = from - 1 === this.#given?.height ? this.#given.id : await storedId(from - 1)
    let parent = before
    for (const container of containers) {
      const link = linkOf(chain, container)
      if (parent !== undefined && !equalBytes(link.parentId, parent)) {
        log.warn('blocks do not follow, and are fetched again', { chain, height: from })
        await spool.clear()
        this.#tip = undefined
        this.#recent.clear()
        if (this.#isDoubted) throw this.#contradicts(from)
        this.#isDoubted = true
        throw new Fault('node-answer', `blocks of peers do not follow each other: ${from}`)
      }
      parent = link.id
    }
    if (parent === undefined) return
    this.#given = { height: from + containers.length - 1, id: Uint8Array.from(parent) }
    this.#isDoubted = false
  }

  async #forget(from: number): Promise<void> {
    const { spool, spoolLimit } = this.#options
    for (;;) {
      const lowest = spool.above(-1)
      if (lowest === undefined) return
      const keptOnDisk = 2 * spool.bytes > spoolLimit ? 0 : keptHeights
      const kept = lowest.bytes === 0 ? keptInMemory : keptOnDisk
      if (lowest.high >= from - kept) return
      await spool.drop(lowest)
    }
  }
}
