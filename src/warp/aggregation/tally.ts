/**
 * State of a collection: who signed, who might, who never will, and whether it is enough.
 *
 * Pure bookkeeping over a validator set; time is a number handed in.
 */

import { Fault } from '../../core/fault.ts'
import { growingPause } from '../../core/waiting.ts'
import { quorumWeight, type Signer, type ValidatorSet } from '../validator-set.ts'

/**
 * State of one signer.
 *
 * - `idle`: not called, or to be called again from `retryAt` on
 * - `checking`: it answered, and the signature waits to be verified
 * - `refused`: it never signs this message; `excluded` was never called
 */
export type SignerState = 'idle' | 'requested' | 'checking' | 'signed' | 'refused' | 'excluded'

/** One signer's progress. */
export type Progress = {
  readonly index: number
  readonly signer: Signer
  /** Changed by {@link Tally.move} only. */
  state: SignerState
  attempts: number
  retryAt: number
  why: string
  signature: Uint8Array
  /** Node that sent the signature; empty where the signature was kept from an earlier request. */
  sentBy: string
  /** True when the signature was verified by itself, and not only inside a sum. */
  proven: boolean
}

/** The goal, in percent of the total weight. */
export type Goal = { readonly quorum: number; readonly buffer: number }

/** Times one signer is called. Waits between them: 1, 2 and 4 seconds. */
const maxAttempts = 4
const firstRetryMs = 1_000
/** Weight requested at once although less would do: the slowest are not waited for. */
const coveragePercent = 95
/** Below the coverage, who has a hundredth of the weight is called all the same. */
const alwaysRequestedPercent = 1
const maxNamed = 10
/** Why of a signer that was called and kept silent. */
export const noAnswer = 'no answer'
/** Why of a signer that could not be called: where it is now says more. */
export const connectionLost = 'connection lost'

/** The progress of a collection. */
export class Tally {
  readonly goal: Goal
  readonly total: bigint
  /** Weight without which nothing is returned. */
  readonly needed: bigint
  /** Weight with which nobody else is waited for. */
  readonly target: bigint
  /** Heaviest first; equal weights in canonical order. */
  readonly byWeight: readonly Progress[]
  readonly #weights: Record<SignerState, bigint> = {
    idle: 0n,
    requested: 0n,
    checking: 0n,
    signed: 0n,
    refused: 0n,
    excluded: 0n,
  }
  readonly #coverage: bigint
  readonly #alwaysRequested: bigint

  constructor(set: ValidatorSet, goal: Goal, excluded: (signer: Signer) => boolean) {
    this.goal = goal
    this.total = set.totalWeight
    this.needed = quorumWeight(set.totalWeight, goal.quorum)
    this.target = quorumWeight(set.totalWeight, goal.quorum + goal.buffer)
    const covered = Math.max(coveragePercent, goal.quorum + goal.buffer)
    this.#coverage = quorumWeight(set.totalWeight, covered)
    this.#alwaysRequested = quorumWeight(set.totalWeight, alwaysRequestedPercent)
    this.byWeight = set.signers
      .map((signer, index) => progressOf(signer, index, excluded(signer)))
      .sort((a, b) => compareWeights(b.signer.weight, a.signer.weight) || a.index - b.index)
    for (const { state, signer } of this.byWeight) this.#weights[state] += signer.weight
  }

  /** Puts a signer into another state. The sums are kept as states change: answers come fast. */
  move(progress: Progress, state: SignerState): void {
    this.#weights[progress.state] -= progress.signer.weight
    this.#weights[state] += progress.signer.weight
    progress.state = state
  }

  /** Weight of the signers in one of `states`. */
  weightOf(...states: readonly SignerState[]): bigint {
    let weight = 0n
    for (const state of states) weight += this.#weights[state]
    return weight
  }

  /** Weight that may still sign or has: without keyless, excluded and refusing weight. */
  get possible(): bigint {
    return this.weightOf('idle', 'requested', 'checking', 'signed')
  }

  /** Returns whether an answer is on its way or being verified. */
  get busy(): boolean {
    return this.weightOf('requested', 'checking') > 0n
  }

  /**
   * Validators to call now: the heaviest first, until enough weight is on its way; all the others,
   * when no answer is awaited any more and the weight is not enough.
   */
  due(now: number, connected: (signer: Signer) => boolean): Progress[] {
    const chosen = this.#choose(now, this.#coverage, connected)
    return chosen.length > 0 || this.busy ? chosen : this.#choose(now, this.total, connected)
  }

  #choose(now: number, coverage: bigint, connected: (signer: Signer) => boolean): Progress[] {
    const chosen: Progress[] = []
    let covered = this.weightOf('requested', 'checking', 'signed')
    for (const progress of this.byWeight) {
      const { weight } = progress.signer
      if (covered >= coverage && weight < this.#alwaysRequested) return chosen
      if (progress.state !== 'idle' || progress.retryAt > now) continue
      if (!connected(progress.signer)) continue
      covered += weight
      chosen.push(progress)
    }
    return chosen
  }

  /** It did not sign this time; after four times it will not. */
  failed(progress: Progress, why: string, now: number): void {
    progress.why = why
    this.move(progress, progress.attempts >= maxAttempts ? 'refused' : 'idle')
    progress.retryAt = now + growingPause(progress.attempts - 1, { firstMs: firstRetryMs })
  }

  /**
   * Signers of the message, in canonical order: heaviest first until the target is reached, or all
   * of them where it is not, since a caller who wants a margin wants what there is of it.
   */
  chosen(): Progress[] {
    return this.#heaviest(({ state }) => state === 'signed')
  }

  /** Signers that would be chosen if every answer that waits to be verified holds. */
  candidates(): Progress[] {
    return this.#heaviest(({ state }) => state === 'signed' || state === 'checking')
  }

  #heaviest(counts: (progress: Progress) => boolean): Progress[] {
    const chosen: Progress[] = []
    let weight = 0n
    for (const progress of this.byWeight) {
      if (weight >= this.target) break
      if (!counts(progress)) continue
      chosen.push(progress)
      weight += progress.signer.weight
    }
    return chosen.sort((a, b) => a.index - b.index)
  }

  get #wasAnyCalled(): boolean {
    return this.byWeight.some(({ attempts, state }) => attempts > 0 || state === 'signed')
  }

  /** Returns whether validators were called and none of them answered, not even with a refusal. */
  get mute(): boolean {
    const whys = new Set(this.byWeight.map(({ why }) => why))
    whys.delete('')
    return whys.size === 1 && whys.has(noAnswer) && this.weightOf('signed', 'checking') === 0n
  }

  /** Describes the missing weight and its signers. `whereIs` explains those who were not called. */
  shortfall(what: 'connect' | 'collect', whereIs: (signer: Signer) => string): Fault {
    const reached = this.weightOf('signed')
    const { quorum } = this.goal
    const keyed = this.byWeight.reduce((sum, { signer }) => sum + signer.weight, 0n)
    const groups = Map.groupBy(
      this.byWeight.filter(({ state }) => state !== 'signed'),
      ({ signer, state, why }) => groupOf(state, why) ?? whereIs(signer),
    )
    const start =
      what === 'connect'
        ? 'failed to connect to a threshold of stake'
        : 'failed to collect a threshold of signatures'
    const parts = [
      `${start}: signature weight is insufficient: ${quorum}*${this.total} > 100*${reached}`,
      this.#wasAnyCalled
        ? `weight reached ${reached}, needed ${this.needed} of ${this.total}`
        : `no validator could be asked, needed ${this.needed} of ${this.total}`,
      ...[...groups].map(
        ([group, all]) =>
          `${group}: ${namesOf(all.map(({ signer }) => signer.nodeIds.join(' or ')))}`,
      ),
      ...(keyed < this.total ? [`weight of validators without a key: ${this.total - keyed}`] : []),
    ]
    return new Fault('quorum-not-reached', parts.join('; '), {
      detail: { reached, needed: this.needed, total: this.total, quorum },
    })
  }
}

function progressOf(signer: Signer, index: number, excluded: boolean): Progress {
  return {
    index,
    signer,
    state: excluded ? 'excluded' : 'idle',
    attempts: 0,
    retryAt: 0,
    why: '',
    signature: new Uint8Array(),
    sentBy: '',
    proven: false,
  }
}

function compareWeights(a: bigint, b: bigint): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Outcome of a signer; `undefined` when it was not called, or could not be. */
function groupOf(state: SignerState, why: string): string | undefined {
  if (state === 'excluded') return 'cannot pay for its validation'
  if (why !== '' && why !== connectionLost) return why
  return state === 'requested' || state === 'checking' ? 'no answer yet' : undefined
}

function namesOf(names: readonly string[]): string {
  const more = names.length - maxNamed
  const named = names.slice(0, maxNamed).join(', ')
  return more > 0 ? `${named} and ${more} more` : named
}
