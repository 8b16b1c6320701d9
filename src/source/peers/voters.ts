/**
 * Who says what the network accepted: first its bootstrap nodes, as an AvalancheGo node uses them,
 * and once the P-Chain was read validators drawn by the stake that our own replay knows. Each draw
 * is a unit of stake, as in the polls of nodes: who has much of it is drawn often, and has as many
 * votes.
 *
 * The same vote for a while, however few of them answer: whoever drew again until a vote
 * succeeds would in the end believe those who are left to him.
 */

import { itemAt } from '../../core/item-at.ts'
import type { World } from '../../core/world.ts'
import type { Peers } from './block-peers.ts'
import { quorumOf } from './tip-vote.ts'

/** A validator of the primary network, delegations included in its weight. */
export type Staked = { readonly nodeId: string; readonly weight: bigint }

/** Votes that are drawn. */
const draws = 24
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
  #voters: readonly string[]
  #next: readonly string[] = []
  #drawnAt = Number.NEGATIVE_INFINITY

  constructor(options: VotersOptions) {
    this.#options = options
    this.#voters = options.bootstrappers
  }

  /** Those whom blocks are requested of: they are connected to. */
  all(): readonly string[] {
    return [...new Set([...this.#voters, ...this.#next, ...this.#options.bootstrappers])]
  }

  /**
   * Those who vote, each as often as it has votes; the same list as long as they are the same.
   * Others follow once they are there.
   */
  async get(): Promise<readonly string[]> {
    const { peers, world } = this.#options
    const now = world.clock.monotonic()
    if (now - this.#drawnAt >= drawMs) await this.#draw(now)
    const ready = this.#next.filter((nodeId) => peers.session(nodeId) !== undefined)
    if (this.#next.length > 0 && ready.length >= quorumOf(this.#next.length)) {
      this.#voters = this.#next
      this.#next = []
    }
    peers.want(this.all(), primaryNetwork)
    return this.#voters
  }

  async #draw(now: number): Promise<void> {
    const { staked, world } = this.#options
    const validators = await staked()
    if (validators === undefined || validators.length === 0) return
    this.#drawnAt = now
    const total = validators.reduce((sum, { weight }) => sum + Number(weight), 0)
    this.#next = Array.from({ length: draws }, () => {
      let left = world.random.number() * total
      const found = validators.find(({ weight }) => (left -= Number(weight)) < 0)
      return (found ?? itemAt(validators, validators.length - 1)).nodeId
    })
  }
}
