/**
 * Which block of a chain the network has accepted last, by at least four fifths of the votes. Who does
 * not answer counts as one who disagrees, so that nobody gains by keeping others away from us. Four
 * fifths and no more are enough only while none of the others names another block: of five voters
 * one may be away or behind, and none may contradict.
 *
 * A few voters, in turn, name the block they accepted last; all are asked whether they accepted it,
 * which is also true of those that are further by now. A voter agrees for a while after it named a
 * block that was accepted before, or accepted a new one together with enough others. So voters that
 * stand still while others go on, and those on two branches, do not agree for long.
 *
 * Source: avalanchego snow/consensus/snowman/bootstrapper, which takes a half.
 */

import { setBounded } from '../../core/bounded-maps.ts'
import { keyOf } from '../../core/bytes.ts'
// oxlint-disable-next-line no-restricted-imports -- ids of blocks are written, no node's text is read
import { toCb58 } from '../../core/cb58.ts'
import type { Clock } from '../../core/world.ts'
import type { Session } from '../../peer/session.ts'
import type { Peers } from './block-peers.ts'

/** Voters that name a block at a time, at least; all where they are others, or nobody voted for a while. */
const namersAtATime = 3
/** So many polls at most until each voter has named a block. */
const pollsInTurn = 8
const aWhileMs = 5_000
/** A voter that needs longer is passed over. */
const nameMs = 1_500
const voteMs = 3_000
/** A vote is no longer current after this. */
const presentMs = 20_000
/** More than any list of voters has. */
const maxHeard = 1_024
/** Of each group in words. */
const namesListed = 5
const groupsListed = 4
const nothing = 'nothing'

/** Percent of the votes that must agree. */
export const quorumPercent = 80

/** Those who say what is accepted. */
export type Electorate = {
  /** As in "80 % of …". */
  readonly name: string
  /** Votes by node id. */
  readonly votes: ReadonlyMap<string, bigint>
}

/** A block that the network has accepted, and voters who said so. */
export type Accepted = { readonly id: Uint8Array; readonly holders: readonly string[] }

/** The last thing that a voter said, and when; when it last agreed with the others. */
type Word = { readonly says: string; readonly at: number; readonly agreedAt: number }

/** Voters who say the same, and what. */
type Group = {
  readonly says: string
  readonly nodeIds: readonly string[]
  readonly percent: number
}

/** Percent of the votes that these nodes have, to two places and never more than they are. */
export function percentOf({ votes }: Electorate, nodeIds: Iterable<string>): number {
  let total = 0n
  for (const each of votes.values()) total += each
  let held = 0n
  for (const nodeId of new Set(nodeIds)) held += votes.get(nodeId) ?? 0n
  return total === 0n ? 0 : Number((held * 10_000n) / total) / 100
}

/** Votes on one chain. */
export class TipVote {
  readonly #peers: Peers
  readonly #clock: Clock
  readonly #chainId: Uint8Array
  readonly #words = new Map<string, Word>()
  #turn = 0
  #polledAt = Number.NEGATIVE_INFINITY
  #voters: Electorate | undefined
  /** Since when these vote. */
  #since = Number.NEGATIVE_INFINITY

  constructor(peers: Peers, clock: Clock, chainId: Uint8Array) {
    this.#peers = peers
    this.#clock = clock
    this.#chainId = chainId
  }

  /**
   * Accepted blocks among those that voters name, without those whose height `heightOf` has: they were
   * accepted before.
   */
  async poll(
    voters: Electorate,
    heightOf: (id: Uint8Array) => number | undefined,
  ): Promise<readonly Accepted[]> {
    const ready = this.#ready(voters)
    if (ready.length === 0) return []
    const now = this.#clock.monotonic()
    const isNew = voters !== this.#voters || now - this.#polledAt > aWhileMs
    const few = Math.max(namersAtATime, Math.ceil(ready.length / pollsInTurn))
    const most = isNew ? ready.length : few
    this.#polledAt = now
    this.#begin(voters)
    const namers = Array.from({ length: Math.min(most, ready.length) }, (_, at) => {
      return ready[(this.#turn + at) % ready.length]
    })
    this.#turn += namers.length
    const named = new Map<string, Uint8Array>()
    const name = async (session: Session | undefined): Promise<void> => {
      const question = { kind: 'get-accepted-frontier', ids: [] } as const
      const [id] = (await session?.requestBlocks(this.#chainId, question, nameMs)) ?? []
      if (session === undefined || id?.length !== 32) return
      const height = heightOf(id)
      this.#hear(session.nodeId, { id, height, agrees: height !== undefined })
      if (height === undefined) named.set(keyOf(id), Uint8Array.from(id))
    }
    await Promise.all(namers.map(name))
    return named.size === 0 ? [] : this.accepted(voters, [...named.values()])
  }

  /** Those of `ids` that enough voters accepted. */
  async accepted(voters: Electorate, ids: readonly Uint8Array[]): Promise<readonly Accepted[]> {
    this.#begin(voters)
    const counted = (await this.count(voters, ids, quorumPercent))
      .map((one) => ({ ...one, percent: percentOf(voters, one.holders) }))
      .toSorted((one, other) => other.percent - one.percent)
    const found: Accepted[] = []
    for (const { id, holders, percent } of counted) {
      const isBarely = percent === quorumPercent && this.#isDoubted(voters, holders, id)
      if (percent < quorumPercent || isBarely) continue
      found.push({ id, holders })
      for (const nodeId of holders) this.#hear(nodeId, { id, agrees: true })
    }
    return found
  }

  /** Who accepted each of `ids`, as far as they answer until `enough` percent are for one. */
  async count(
    voters: Electorate,
    ids: readonly Uint8Array[],
    enough: number,
  ): Promise<readonly Accepted[]> {
    const votes = new Map(ids.map((id) => [keyOf(id), { id, holders: [] as string[] }]))
    const decided = Promise.withResolvers<void>()
    const vote = async (session: Session): Promise<void> => {
      const question = { kind: 'get-accepted', ids } as const
      const found = await session.requestBlocks(this.#chainId, question, voteMs)
      for (const key of new Set(found?.map(keyOf))) {
        const one = votes.get(key)
        if (one === undefined) continue
        one.holders.push(session.nodeId)
        this.#hear(session.nodeId, { id: one.id, agrees: false })
        if (percentOf(voters, one.holders) >= enough) decided.resolve()
      }
    }
    const all = Promise.all(this.#ready(voters).map(vote))
    await Promise.race([decided.promise, all])
    return [...votes.values()]
  }

  /**
   * Why there is no agreement now: who says what; and monotonic time since when. `undefined` where
   * there is.
   */
  missing(voters: Electorate): { readonly since: number; readonly why: string } | undefined {
    const agreedAt = (nodeId: string): number =>
      this.#words.get(nodeId)?.agreedAt ?? Number.NEGATIVE_INFINITY
    const latest = [...voters.votes.keys()].toSorted((a, b) => agreedAt(b) - agreedAt(a))
    const last = latest.find((_, at) => percentOf(voters, latest.slice(0, at + 1)) >= quorumPercent)
    const since = last === undefined ? Number.NEGATIVE_INFINITY : agreedAt(last)
    const from = this.#clock.monotonic() - presentMs
    if (since >= from) return undefined
    const present = latest.filter((nodeId) => agreedAt(nodeId) >= from)
    const agree = `${percentOf(voters, present)} % of ${voters.name} agree`
    const groups = this.#groups(voters, from)
    const isContradicted = groups[0]?.percent === quorumPercent && groups[1]?.says !== nothing
    const more = isContradicted ? 'more than ' : ''
    const words = `${agree}, ${more}${quorumPercent} % are needed: ${textOf(groups)}`
    return { since, why: [this.#peers.trouble() ?? [], words].flat().join('; ') }
  }

  #begin(voters: Electorate): void {
    if (voters === this.#voters) return
    this.#voters = voters
    this.#since = this.#clock.monotonic()
  }

  /** Returns whether one of the others lately named another block, or may not have had the time to. */
  #isDoubted({ votes }: Electorate, holders: readonly string[], id: Uint8Array): boolean {
    const from = this.#clock.monotonic() - presentMs
    const unheard = { says: '', at: this.#since, agreedAt: Number.NEGATIVE_INFINITY }
    return [...votes.keys()].some((nodeId) => {
      const { says, at, agreedAt } = this.#words.get(nodeId) ?? unheard
      return !holders.includes(nodeId) && at > agreedAt && at > from && says !== toCb58(id)
    })
  }

  #hear(
    nodeId: string,
    { id, height, agrees }: { id: Uint8Array; height?: number | undefined; agrees: boolean },
  ): void {
    const at = this.#clock.monotonic()
    const says = `${height === undefined ? '' : `${height}, `}${toCb58(id)}`
    const agreedAt = agrees ? at : (this.#words.get(nodeId)?.agreedAt ?? Number.NEGATIVE_INFINITY)
    setBounded(this.#words, nodeId, { says, at, agreedAt }, maxHeard)
  }

  /** Who says what, the largest share first. */
  #groups(voters: Electorate, from: number): Group[] {
    const saidBy = (nodeId: string): string => {
      const word = this.#words.get(nodeId)
      return word === undefined || word.at < from ? nothing : `block ${word.says}`
    }
    return [...Map.groupBy(voters.votes.keys(), saidBy)]
      .map(([says, nodeIds]) => ({ says, nodeIds, percent: percentOf(voters, nodeIds) }))
      .toSorted((a, b) => b.percent - a.percent)
  }

  #ready({ votes }: Electorate): Session[] {
    return [...votes.keys()].flatMap((nodeId) => this.#peers.session(nodeId) ?? [])
  }
}

function textOf(groups: readonly Group[]): string {
  const texts = groups.slice(0, groupsListed).map(({ says, nodeIds, percent }) => {
    const more = nodeIds.length > namesListed ? ' and others' : ''
    return `${percent} % say ${says} (${nodeIds.slice(0, namesListed).join(', ')}${more})`
  })
  return [...texts, ...(groups.length > groupsListed ? ['others say others'] : [])].join('; ')
}
