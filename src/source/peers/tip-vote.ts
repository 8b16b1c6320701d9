/**
 * Which block of a chain the network has accepted last, by more than four fifths of the votes. A
 * list of voters names each as often as it has votes. Who does not answer counts as one who
 * disagrees, so that nobody gains by keeping others away from us.
 *
 * A few voters, in turn, name the block they accepted last; all are asked whether they accepted it,
 * which is also true of those that are further by now.
 *
 * Source: avalanchego snow/consensus/snowman/bootstrapper, which takes a half.
 */

import { keyOf } from '../../core/bytes.ts'
import type { Clock } from '../../core/world.ts'
import type { Session } from '../../peer/session.ts'
import type { Peers } from './block-peers.ts'

/** Voters that name a block at a time; all where they are others, or nobody voted for a while. */
const namersAtATime = 3
const aWhileMs = 5_000
/** A voter that needs longer is passed over. */
const nameMs = 1_500
const voteMs = 3_000
/** A vote is no longer current after this. */
const presentMs = 20_000

/** A block that the network has accepted, and voters who said so. */
export type Accepted = { readonly id: Uint8Array; readonly holders: readonly string[] }

/** How many of `votes` must agree: more than four fifths. */
export function quorumOf(votes: number): number {
  return Math.floor((4 * votes) / 5) + 1
}

/** How many votes those who hold something have. */
export function votesOf(voters: readonly string[], holders: readonly string[]): number {
  return voters.filter((nodeId) => holders.includes(nodeId)).length
}

/** Votes on one chain. */
export class TipVote {
  readonly #peers: Peers
  readonly #clock: Clock
  readonly #chainId: Uint8Array
  /** When each voter last answered. */
  readonly #heardAt = new Map<string, number>()
  #turn = 0
  #polledAt = Number.NEGATIVE_INFINITY
  #voters: readonly string[] = []

  constructor(peers: Peers, clock: Clock, chainId: Uint8Array) {
    this.#peers = peers
    this.#clock = clock
    this.#chainId = chainId
  }

  /** Accepted blocks among those that voters name, without those `isKnown`. */
  async poll(
    voters: readonly string[],
    isKnown: (id: Uint8Array) => boolean,
  ): Promise<readonly Accepted[]> {
    const ready = this.#ready(voters)
    if (ready.length === 0) return []
    const now = this.#clock.monotonic()
    const isNew = voters !== this.#voters || now - this.#polledAt > aWhileMs
    const most = isNew ? ready.length : namersAtATime
    this.#polledAt = now
    this.#voters = voters
    const namers = Array.from({ length: Math.min(most, ready.length) }, (_, at) => {
      return ready[(this.#turn + at) % ready.length]
    })
    this.#turn += namers.length
    const named = new Map<string, Uint8Array>()
    const name = async (session: Session | undefined): Promise<void> => {
      const question = { kind: 'get-accepted-frontier', ids: [] } as const
      const [id] = (await session?.requestBlocks(this.#chainId, question, nameMs)) ?? []
      if (session === undefined || id?.length !== 32) return
      this.#heardAt.set(session.nodeId, this.#clock.monotonic())
      if (!isKnown(id)) named.set(keyOf(id), Uint8Array.from(id))
    }
    await Promise.all(namers.map(name))
    return named.size === 0 ? [] : this.accepted(voters, [...named.values()])
  }

  /** Those of `ids` that enough voters accepted. */
  async accepted(
    voters: readonly string[],
    ids: readonly Uint8Array[],
  ): Promise<readonly Accepted[]> {
    const quorum = quorumOf(voters.length)
    const counted = await this.count(voters, ids, quorum)
    return counted.filter(({ holders }) => votesOf(voters, holders) >= quorum)
  }

  /** Who accepted each of `ids`, as far as they answer until `enough` votes are for one. */
  async count(
    voters: readonly string[],
    ids: readonly Uint8Array[],
    enough: number,
  ): Promise<readonly Accepted[]> {
    const votes = new Map(ids.map((id) => [keyOf(id), { id, holders: [] as string[] }]))
    const decided = Promise.withResolvers<void>()
    const vote = async (session: Session): Promise<void> => {
      const question = { kind: 'get-accepted', ids } as const
      const found = await session.requestBlocks(this.#chainId, question, voteMs)
      if (found === undefined) return
      this.#heardAt.set(session.nodeId, this.#clock.monotonic())
      for (const key of new Set(found.map(keyOf))) votes.get(key)?.holders.push(session.nodeId)
      const isDecided = [...votes.values()].some(
        ({ holders }) => votesOf(voters, holders) >= enough,
      )
      if (isDecided) decided.resolve()
    }
    const all = Promise.all(this.#ready(voters).map(vote))
    await Promise.race([decided.promise, all])
    return [...votes.values()]
  }

  /** Why there is no vote now, and monotonic time since when; `undefined` where there is one. */
  missing(voters: readonly string[]): { readonly since: number; readonly why: string } | undefined {
    const quorum = quorumOf(voters.length)
    const heard = voters
      .map((nodeId) => this.#heardAt.get(nodeId) ?? Number.NEGATIVE_INFINITY)
      .toSorted((a, b) => b - a)
    const since = heard[quorum - 1] ?? Number.NEGATIVE_INFINITY
    const now = this.#clock.monotonic()
    if (now - since <= presentMs) return undefined
    const present = heard.filter((at) => now - at <= presentMs).length
    return { since, why: `${present} of ${voters.length} votes came, ${quorum} are needed` }
  }

  #ready(voters: readonly string[]): Session[] {
    return [...new Set(voters)].flatMap((nodeId) => this.#peers.session(nodeId) ?? [])
  }
}
