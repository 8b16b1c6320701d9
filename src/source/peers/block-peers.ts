/**
 * Requests blocks of peers, in turn and no faster than is polite: one request for ancestors under
 * way to a peer, and one a second. Whoever does not answer rests for a while; whoever answers
 * something else than was requested is left alone.
 */

import { Fault, faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { PeerPool } from '../../peer/pool.ts'
import type { Session } from '../../peer/session.ts'

/** Peers that blocks are requested of. */
export type Peers = Pick<PeerPool, 'session' | 'want' | 'ban' | 'trouble' | 'close'>

/** A question for blocks. */
export type BlocksWanted<T> = {
  readonly chainId: Uint8Array
  readonly kind: 'get' | 'get-ancestors'
  readonly id: Uint8Array
  /** Who surely has it. */
  readonly holders?: readonly string[]
  /** Reads an answer; throws `bad-bytes` for one that cannot be. */
  readonly read: (items: readonly Uint8Array[]) => T
}

type Turn = { isPending: boolean; requestedAt: number; restsUntil: number }

/** Between two questions for ancestors to one peer. A peer may give 2,000 blocks for each. */
const ancestorsEveryMs = 1_000
/** A peer that has no answer, or takes long for it, is called again after this. */
const restMs = 20_000
const slowMs = 5_000
/** After this long without a block from any peer the request fails. */
const patienceMs = 60_000
const lookMs = 25

/** Peers that blocks are requested of. */
export class BlockPeers {
  readonly #peers: Peers
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #turns = new Map<string, Turn>()

  constructor(peers: Peers, clock: Clock, everyMs = ancestorsEveryMs) {
    this.#peers = peers
    this.#clock = clock
    this.#everyMs = everyMs
  }

  /** Calls `nodeIds` until one answers as it should. Throws `node-unreachable` after a minute. */
  async request<T>(
    nodeIds: () => readonly string[],
    wanted: BlocksWanted<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const until = this.#clock.monotonic() + patienceMs
    while (this.#clock.monotonic() < until) {
      signal.throwIfAborted()
      const session = this.#next(nodeIds(), wanted)
      if (session === undefined) await this.#clock.sleep(lookMs, signal)
      else {
        const found = await this.#requestOne(session, wanted)
        if (found !== undefined) return found.value
      }
    }
    throw new Fault('node-unreachable', 'no peer gives the blocks that are asked for')
  }

  #next(nodeIds: readonly string[], wanted: BlocksWanted<unknown>): Session | undefined {
    const now = this.#clock.monotonic()
    let best: { readonly session: Session; readonly rank: number } | undefined
    for (const nodeId of nodeIds) {
      const session = this.#peers.session(nodeId)
      const turn = this.#turn(nodeId)
      if (session === undefined || turn.restsUntil > now) continue
      const isEarly = turn.isPending || now - turn.requestedAt < this.#everyMs
      if (wanted.kind === 'get-ancestors' && isEarly) continue
      const isHolder = wanted.holders?.includes(nodeId) === true
      const rank = turn.requestedAt - (isHolder ? Number.MAX_SAFE_INTEGER : 0)
      if (best === undefined || rank < best.rank) best = { session, rank }
    }
    return best?.session
  }

  async #requestOne<T>(
    session: Session,
    { chainId, kind, id, read }: BlocksWanted<T>,
  ): Promise<{ readonly value: T } | undefined> {
    const { nodeId } = session
    const turn = this.#turn(nodeId)
    turn.requestedAt = this.#clock.monotonic()
    if (kind === 'get-ancestors') turn.isPending = true
    const items = await session.requestBlocks(chainId, { kind, ids: [id] })
    if (kind === 'get-ancestors') turn.isPending = false
    const now = this.#clock.monotonic()
    const isSlow = now - turn.requestedAt > slowMs
    // Ancestors of a block that the peer does not have are none.
    const isAbsent = items === undefined || items.length === 0
    if (isSlow || isAbsent) turn.restsUntil = now + restMs
    if (isAbsent) return undefined
    try {
      return { value: read(items) }
    } catch (error) {
      if (faultOf(error)?.code !== 'bad-bytes') throw error
      const cause = { cause: error }
      this.#peers.ban(nodeId, new Fault('peer-misbehaved', 'blocks are not those requested', cause))
      return undefined
    }
  }

  #turn(nodeId: string): Turn {
    const known = this.#turns.get(nodeId)
    if (known !== undefined) return known
    const turn = { isPending: false, requestedAt: Number.NEGATIVE_INFINITY, restsUntil: 0 }
    this.#turns.set(nodeId, turn)
    return turn
  }
}
