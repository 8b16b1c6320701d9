/**
 * Verifies the signatures of one collection, as late as they may decide something: the later the
 * sum, the fewer pairings.
 */

import { assert, Fault } from '../../core/fault.ts'
import type { SignedBy } from '../bls/bls.ts'
import type { CollectOptions, CollectTask } from './collect-task.ts'
import { proveEach, sortOut, type Sorted, type Verdict } from './sort-out.ts'
import type { Progress, Tally } from './tally.ts'

/** Longest time an answer waits to be verified, once the quorum is there if all of them hold. */
const sumMs = 100
/** The same before that: nobody needs it yet. */
const earlySumMs = 1_000

/** A sum of signatures. */
export type Sum = {
  readonly signature: Uint8Array
  /** True when this very sum was verified for the message and the keys of its signers. */
  readonly isVerified: boolean
}

/**
 * The answers that wait to be verified, and their sum. It moves signers in the collection's tally.
 */
export class Verifier {
  readonly #options: CollectOptions
  readonly #task: CollectTask
  readonly #tally: Tally
  readonly #done: (problem?: unknown) => void
  /** Kept from earlier requests and not proven yet. */
  #remembered: Progress[] = []
  #pendingSince: number | undefined
  #verifying = false
  /** True when the collection would end without what waits to be verified. */
  #flush = false
  #sum: { readonly of: ReadonlySet<Progress>; readonly signature: Uint8Array } | undefined

  /** `done` is called whenever some were verified, with what went wrong if anything did. */
  constructor(
    options: CollectOptions,
    task: CollectTask,
    tally: Tally,
    done: (problem?: unknown) => void,
  ) {
    this.#options = options
    this.#task = task
    this.#tally = tally
    this.#done = done
  }

  /** A signature kept from an earlier request, not proven yet, is to be proven first. */
  remember(progress: Progress): void {
    this.#remembered.push(progress)
  }

  /** An answer has come. */
  arrived(now: number): void {
    this.#pendingSince ??= now
  }

  /** Everything that waits is to be verified at the next look. */
  hurry(): void {
    this.#flush = true
  }

  /** Sum of the signatures of `signers`; where none was made of just these, it is made now. */
  sumOf(signers: readonly Progress[]): Sum {
    const known = this.#sum
    const same = known?.of.size === signers.length && signers.every((each) => known.of.has(each))
    if (known !== undefined && same) return { signature: known.signature, isVerified: true }
    const signature = this.#options.bls.aggregate(signers.map((progress) => progress.signature))
    return { signature, isVerified: false }
  }

  /** Verifies what is due. It goes on off the caller's loop, which is called when it is done. */
  look(now: number): void {
    const tally = this.#tally
    if (this.#verifying || tally.weightOf('checking') === 0n) return
    const { bls } = this.#options
    const { unsigned } = this.#task
    if (this.#remembered.length > 0) {
      const remembered = this.#remembered.splice(0)
      void this.#settle(remembered, proveEach(bls, unsigned, remembered.map(signedBy)))
      return
    }
    const here = tally.weightOf('signed', 'checking')
    const waited = now - (this.#pendingSince ?? now)
    const due = waited >= (here >= tally.needed ? sumMs : earlySumMs)
    const idle = tally.weightOf('requested') === 0n
    if (here < tally.target && !idle && !due && !this.#flush) return
    this.#flush = false
    this.#pendingSince = undefined
    // Those who wait, so that this very sum is the answer; and else all who wait.
    const group =
      here >= tally.target
        ? tally.candidates()
        : tally.byWeight.filter(({ state }) => state === 'checking')
    const sorted = sortOut(bls, unsigned, group.map(signedBy))
    void this.#settle(group, this.#keepSum(group, sorted))
  }

  async #keepSum(group: readonly Progress[], sorted: Promise<Sorted>): Promise<readonly Verdict[]> {
    const { verdicts, sum } = await sorted
    if (sum !== undefined) this.#sum = { of: new Set(group), signature: sum }
    return verdicts
  }

  async #settle(group: readonly Progress[], verdicts: Promise<readonly Verdict[]>): Promise<void> {
    this.#verifying = true
    try {
      const found = await verdicts
      for (const [at, progress] of group.entries()) {
        const verdict = found[at]
        assert(verdict !== undefined, 'every signature has a verdict')
        if (verdict === 'wrong') this.#reject(progress)
        else this.#accept(progress, progress.proven || verdict === 'proven')
      }
      this.#verifying = false
      this.#done()
    } catch (error) {
      this.#verifying = false
      this.#done(error)
    }
  }

  #reject(progress: Progress): void {
    const { counters, cache, pool } = this.#options
    cache.drop(this.#task.question.messageHex, progress.signer.keyHex)
    if (progress.sentBy === '') {
      // It was kept from an earlier sum, and who sent it is forgotten: the signer is called now.
      this.#tally.move(progress, 'idle')
      pool.want(progress.signer.nodeIds, this.#task.subnetId)
      return
    }
    counters.wrong++
    this.#tally.move(progress, 'refused')
    progress.why = 'answered with a wrong signature'
    if (!this.#task.present) return
    pool.ban(progress.sentBy, new Fault('peer-misbehaved', 'wrong signature'))
  }

  #accept(progress: Progress, proven: boolean): void {
    const { counters, cache } = this.#options
    // Signatures kept from earlier requests were counted then.
    if (progress.state === 'checking' && progress.sentBy !== '') counters.signatures++
    this.#tally.move(progress, 'signed')
    progress.proven = proven
    const { signature } = progress
    cache.put(this.#task.question.messageHex, progress.signer.keyHex, { signature, proven })
  }
}

function signedBy({ signer, signature }: Progress): SignedBy {
  return { publicKey: signer.publicKey, signature }
}
