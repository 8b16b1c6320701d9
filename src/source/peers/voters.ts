/**
 * Who says what the network accepted: first its bootstrap nodes, as an AvalancheGo node uses them,
 * and once the P-Chain was read its validators by the stake that our own replay knows. Where they
 * are few each has its stake. Of many, votes are drawn, each a unit of stake, as in the polls of
 * nodes: who has much of it is drawn often, and has as many votes.
 *
 * The same vote for a while, however few of them answer: whoever drew again until a vote
 * succeeds would in the end believe those who are left to him.
 */

import { itemAt } from '../../core/item-at.ts'
import type { World } from '../../core/world.ts'
import type { Peers } from './block-peers.ts'
import { type Electorate, percentOf, quorumPercent } from './tip-vote.ts'

/** A validator of the primary network, delegations included in its weight. */
export type Staked = { readonly nodeId: string; readonly weight: bigint }

/** Votes that are drawn. */
const draws = 24
/** So many validators all vote: of five, one that is away would fill a fifth of the draws or more. */
const fewValidators = 32
/** Others are drawn after this. */
const drawMs = 600_000
const primaryNetwork = new Uint8Array(32)

type VotersOptions = {
  readonly peers: Peers
  readonly bootstrappers: readonly string[]
  /** Validators as the store has them; `undefined` where it does not reach the present. */
  readonly staked: () => Promise<readonly Staked[] | undefined>
  readonly world: Pick<World, 'clock' | 'random'>
}

/** The voters of the moment. */
export class Voters {
  readonly #options: VotersOptions
  #voters: Electorate
  #next: Electorate | undefined
  #drawnAt = Number.NEGATIVE_INFINITY

  constructor(options: VotersOptions) {
    this.#options = options
    const { bootstrappers } = options
    const votes = new Map(bootstrappers.map((nodeId) => [nodeId, 1n]))
    this.#voters = { name: `${votes.size} bootstrap node${votes.size === 1 ? '' : 's'}`, votes }
  }

  /** Those whom blocks are requested of: they are connected to. */
  all(): readonly string[] {
    const { bootstrappers } = this.#options
    const voting = [this.#voters, this.#next ?? []].flat()
    return [...new Set([...voting.flatMap(({ votes }) => [...votes.keys()]), ...bootstrappers])]
  }

  /** Those who vote, in words, and who will once they are connected. */
  text(): string {
    const { name } = this.#voters
    if (this.#next === undefined) return name
    const { name: next } = this.#next
    return `${name}, until ${quorumPercent} % of ${next} are connected, not ${this.#connected(this.#next)} %`
  }

  /** Those who vote; the same object as long as they are the same. Others follow once they are there. */
  async get(): Promise<Electorate> {
    const { peers, world } = this.#options
    const now = world.clock.monotonic()
    if (now - this.#drawnAt >= drawMs) await this.#draw(now)
    if (this.#next !== undefined && this.#connected(this.#next) >= quorumPercent) {
      this.#voters = this.#next
      this.#next = undefined
    }
    peers.want(this.all(), primaryNetwork)
    return this.#voters
  }

  #connected(voters: Electorate): number {
    const { peers } = this.#options
    const nodeIds = [...voters.votes.keys()]
    return percentOf(
      voters,
      nodeIds.filter((nodeId) => peers.session(nodeId) !== undefined),
    )
  }

  async #draw(now: number): Promise<void> {
    const { staked, world } = this.#options
    const validators = await staked()
    if (validators === undefined || validators.length === 0) return
    this.#drawnAt = now
    const all = new Map(validators.map(({ nodeId, weight }) => [nodeId, weight]))
    if (validators.length <= fewValidators) {
      this.#next = { name: `the stake of ${all.size} validators`, votes: all }
      return
    }
    const total = validators.reduce((sum, { weight }) => sum + Number(weight), 0)
    const votes = new Map<string, bigint>()
    for (let at = 0; at < draws; at++) {
      let left = world.random.number() * total
      const found = validators.find(({ weight }) => (left -= Number(weight)) < 0)
      const { nodeId } = found ?? itemAt(validators, validators.length - 1)
      votes.set(nodeId, (votes.get(nodeId) ?? 0n) + 1n)
    }
    const percent = percentOf({ name: '', votes: all }, votes.keys())
    this.#next = { name: `${draws} units of stake, of validators with ${percent} % of it`, votes }
  }
}
