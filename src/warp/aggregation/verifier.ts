/**
 * Verifies the signatures of one collection, as late as they may decide something: the later the
 * sum, the fewer pairings.
 */

import { assert, Fault } from '../../core/fault.ts'
import type { SignedBy, Bls } from '../bls/bls.ts'
import type { CollectOptions, CollectTask } from './collect-task.ts'
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

// Finds the wrong ones among several signatures over one message; costs one sum where none is
// wrong.
//
// A sum that holds costs one pairing, however many signatures it has. It does not prove each of
// them: two wrong ones may cancel each other out. Where a sum fails, halves are summed. Once
// several wrong ones are found, many more are likely, and random factors prove the rest one by one.

/** `summed`: holds together with the others of its group. `proven`: holds by itself. */
type Verdict = 'wrong' | 'summed' | 'proven'

/** Verdicts in the order given. `sum`: of all signatures, when none is wrong. */
type Sorted = { readonly verdicts: readonly Verdict[]; readonly sum: Uint8Array | undefined }

// Each wrong one costs two pairings for every halving; the randomised check of a batch costs less
// from about this many on.
const wrongBeforeEach = 4
/** Signatures proven together: more at once would only make the last wait longer. */
const batchSize = 128

/** Sorts `signed` out. */
export async function sortOut(
  bls: Bls,
  message: Uint8Array,
  signed: readonly SignedBy[],
): Promise<Sorted> {
  const sum = await bls.sumIfItHolds(message, signed)
  if (sum !== undefined) return { verdicts: signed.map(() => 'summed'), sum }
  const verdicts = signed.map((): Verdict => 'summed')
  // Ranges whose sum fails.
  const failing = [{ from: 0, until: signed.length }]
  let wrong = 0
  for (let range = failing.pop(); range !== undefined; range = failing.pop()) {
    const { from, until } = range
    if (until - from === 0) continue
    if (until - from === 1) {
      verdicts[from] = 'wrong'
      wrong++
    } else if (wrong >= wrongBeforeEach) {
      const proven = await proveEach(bls, message, signed.slice(from, until))
      for (const [at, verdict] of proven.entries()) verdicts[from + at] = verdict
    } else {
      const middle = (from + until) >> 1
      const left = { from, until: middle }
      const right = { from: middle, until }
      const [leftHolds, rightHolds] = await sumsHold(bls, message, signed, [left, right])
      if (!rightHolds) failing.push(right)
      if (!leftHolds) failing.push(left)
    }
  }
  return { verdicts, sum: undefined }
}

/**
 * Returns whether the sums of both halves of a failing range hold. Where the left does, the right
 * does not.
 */
async function sumsHold(
  bls: Bls,
  message: Uint8Array,
  signed: readonly SignedBy[],
  [left, right]: readonly [Range, Range],
): Promise<readonly [boolean, boolean]> {
  const holds = async ({ from, until }: Range): Promise<boolean> =>
    (await bls.sumIfItHolds(message, signed.slice(from, until))) !== undefined
  const leftHolds = await holds(left)
  return leftHolds ? [true, false] : [false, await holds(right)]
}

type Range = { readonly from: number; readonly until: number }

/** Proves each signature by itself, batch by batch. */
export async function proveEach(
  bls: Bls,
  message: Uint8Array,
  signed: readonly SignedBy[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (let from = 0; from < signed.length; from += batchSize) {
    const truths = await bls.verifyEach(message, signed.slice(from, from + batchSize))
    for (const holds of truths) verdicts.push(holds ? 'proven' : 'wrong')
  }
  return verdicts
}
