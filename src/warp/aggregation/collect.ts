/**
 * Collecting signatures for one message from one validator set.
 *
 * One loop: look how it stands, ask who should be asked, verify what came, sleep until something
 * happens. Everything it starts ends by itself within a node's time to answer.
 */

import { assert, Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Bls, SignedBy } from '../bls.ts'
import type { PeerPool } from '../peer/pool.ts'
import type { Signer, ValidatorSet } from '../validator-set.ts'
import type { AskBoard, Outcome, Question } from './ask.ts'
import type { SignatureCache } from './signature-cache.ts'
import { proveEach, sortOut, type Sorted, type Verdict } from './sort-out.ts'
import { connectionLost, type Goal, type Progress, Tally } from './tally.ts'

/** Parts that collections share. */
export type CollectParts = {
  readonly clock: Clock
  readonly bls: Bls
  readonly pool: Pick<
    PeerPool,
    'session' | 'failures' | 'offence' | 'want' | 'watch' | 'ban' | 'status'
  >
  readonly board: AskBoard
  readonly cache: SignatureCache
  readonly counters: CollectCounters
}

/** Counts over all collections of a process, for operators. */
export type CollectCounters = {
  asked: number
  signatures: number
  cached: number
  wrong: number
  refused: number
  silent: number
}

/** One collection. */
export type CollectTask = {
  readonly unsigned: Uint8Array
  readonly question: Question
  readonly subnetId: Uint8Array
  readonly set: ValidatorSet
  readonly goal: Goal
  readonly excluded: (signer: Signer) => boolean
  /**
   * True when the set is the present one. Of an earlier one a validator may have another key by
   * now: what it answers does not verify then, and is not its fault.
   */
  readonly present: boolean
  /** Possible reason when no validator answers at all. */
  readonly whenMute: string | undefined
  /** Longest time for everything, milliseconds. */
  readonly timeoutMs: number
}

/** How long connecting may take before missing connections are the reason to give up. */
const connectMs = 30_000
/** How long the rest is waited for once the quorum without its buffer is reached. */
const bufferMs = 2_000
/** Failed connections in a row after which a node does not count as on its way. */
const goneAfter = 2
/** Longest time an answer waits to be verified, once the quorum is there if all of them hold. */
const sumMs = 100
/** The same before that: the later the sum, the fewer pairings, and nobody needs it yet. */
const earlySumMs = 1_000
/** Between two looks at the clock. */
const tickMs = 50

/** Signers whose weight reaches the quorum, in canonical order, and the sum of their signatures. */
export type Collected = { readonly signers: readonly Progress[]; readonly signature: Uint8Array }

/** Collects signatures for `task`. */
export async function collect(
  parts: CollectParts,
  task: CollectTask,
  signal: AbortSignal,
): Promise<Collected> {
  const collection = new Collection(parts, task)
  try {
    return await collection.run(signal)
  } finally {
    collection.end()
  }
}

class Collection {
  readonly #parts: CollectParts
  readonly #task: CollectTask
  readonly #tally: Tally
  readonly #startedAt: number
  readonly #ended = new AbortController()
  readonly #unwatch: () => void
  /** Kept from earlier requests and not proven yet. */
  #remembered: Progress[] = []
  #pendingSince: number | undefined
  #verifying = false
  /** True when the collection would end without what waits to be verified. */
  #flush = false
  #sum: { readonly of: ReadonlySet<Progress>; readonly signature: Uint8Array } | undefined
  #quorumAt: number | undefined
  #reachedAt = Number.NEGATIVE_INFINITY
  #wake: (() => void) | undefined
  #woken = false
  #problem: unknown

  constructor(parts: CollectParts, task: CollectTask) {
    this.#parts = parts
    this.#task = task
    this.#tally = new Tally(task.set, task.goal, task.excluded)
    this.#startedAt = parts.clock.monotonic()
    this.#unwatch = parts.pool.watch(() => this.#stir())
  }

  async run(signal: AbortSignal): Promise<Collected> {
    this.#seed()
    const stop = (): void => this.#stir()
    signal.addEventListener('abort', stop)
    try {
      void this.#tick()
      for (;;) {
        signal.throwIfAborted()
        if (this.#problem !== undefined) throw this.#problem
        const now = this.#parts.clock.monotonic()
        if (this.#decide(now)) return this.#collected()
        this.#ask(now)
        this.#verify(now)
        await this.#sleep()
      }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  end(): void {
    this.#ended.abort()
    this.#unwatch()
  }

  #seed(): void {
    const { cache, pool, counters } = this.#parts
    const { question, subnetId } = this.#task
    const missing: string[] = []
    for (const progress of this.#tally.byWeight) {
      const kept = cache.get(question.messageHex, progress.signer.keyHex)
      if (kept !== undefined && progress.state !== 'excluded') {
        progress.signature = kept.signature
        progress.proven = kept.proven
        this.#tally.move(progress, kept.proven ? 'signed' : 'checking')
        if (!kept.proven) this.#remembered.push(progress)
        counters.cached++
      } else if (progress.state === 'idle') missing.push(...progress.signer.nodeIds)
    }
    const here = this.#tally.weightOf('signed', 'checking')
    if (here < this.#tally.target) pool.want(missing, subnetId)
  }

  /** The collected signature; summed now when no sum of just these signers exists. */
  #collected(): Collected {
    const signers = this.#tally.chosen()
    const known = this.#sum
    const same = known?.of.size === signers.length && signers.every((each) => known.of.has(each))
    const signature =
      known !== undefined && same
        ? known.signature
        : this.#parts.bls.aggregate(signers.map((progress) => progress.signature))
    return { signers, signature }
  }

  readonly #connected = ({ nodeIds }: Signer): boolean =>
    nodeIds.some((nodeId) => this.#parts.pool.session(nodeId) !== undefined)

  readonly #whereIs = (signer: Signer): string => {
    if (this.#connected(signer)) return 'not asked'
    const offences = signer.nodeIds.map((nodeId) => this.#parts.pool.offence(nodeId))
    const offence = offences.find((found) => found !== undefined)
    return offence === undefined ? 'not connected' : `left alone (${offence})`
  }

  readonly #gone = ({ nodeIds }: Signer): boolean =>
    nodeIds.every((nodeId) => this.#parts.pool.failures(nodeId) >= goneAfter)

  /** `true` when it is enough. Throws `quorum-not-reached` when it never will be. */
  #decide(now: number): boolean {
    const tally = this.#tally
    const signed = tally.weightOf('signed')
    if (signed >= tally.target) return true
    const elapsed = now - this.#startedAt
    if (signed >= tally.needed) {
      this.#quorumAt ??= now
      return now - this.#quorumAt >= bufferMs || elapsed >= this.#task.timeoutMs || this.#settled()
    }
    if (tally.possible < tally.needed) return this.#giveUp('collect')
    // Connections change slowly; looking at all of them after every answer would not be free.
    if (now - this.#reachedAt < tickMs) return false
    this.#reachedAt = now
    const { reachable, connected } = this.#reach()
    const late = elapsed >= this.#task.timeoutMs
    const unconnected = connected < tally.needed && (late || elapsed >= connectMs)
    if (reachable < tally.needed || unconnected) return this.#giveUp('connect')
    return late && this.#giveUp('collect')
  }

  /** Throws what is missing; before that, what has arrived is verified, so that it is counted. */
  #giveUp(what: 'connect' | 'collect'): false {
    if (this.#tally.weightOf('checking') === 0n) throw this.#shortfall(what)
    this.#flush = true
    return false
  }

  #shortfall(what: 'connect' | 'collect'): Fault {
    const fault = this.#tally.shortfall(what, this.#whereIs)
    // Nobody at all: it is our connection to the network that is missing, and may come back.
    const alone = what === 'connect' && this.#parts.pool.status().connected === 0
    if (alone) return new Fault('not-served', `no peer is connected; ${fault.message}`)
    const { whenMute } = this.#task
    if (whenMute === undefined || !this.#tally.mute) return fault
    return new Fault(fault.code, `${fault.message}; ${whenMute}`, { detail: fault.detail })
  }

  /** Weight that is or was connected, and weight that may still become so. */
  #reach(): { reachable: bigint; connected: bigint } {
    let connected = 0n
    let reachable = 0n
    for (const { state, signer } of this.#tally.byWeight) {
      if (state === 'refused' || state === 'excluded') continue
      const here = state !== 'idle' || this.#connected(signer)
      if (here) connected += signer.weight
      if (here || !this.#gone(signer)) reachable += signer.weight
    }
    return { reachable, connected }
  }

  /** Returns whether everybody who can be asked now has answered. */
  #settled(): boolean {
    if (this.#tally.busy) return false
    return !this.#tally.byWeight.some(
      ({ state, attempts, signer }) =>
        state === 'idle' && attempts === 0 && this.#connected(signer),
    )
  }

  #ask(now: number): void {
    for (const progress of this.#tally.toAsk(now, this.#connected)) {
      this.#tally.move(progress, 'asking')
      progress.attempts++
      this.#parts.counters.asked++
      void this.#askSigner(progress)
    }
  }

  async #askSigner(progress: Progress): Promise<void> {
    try {
      this.#answered(progress, await this.#firstSignature(progress.signer))
    } catch (error) {
      this.#problem = error
    }
    this.#stir()
  }

  /** Asks every node of a key that is connected; the first signature counts. */
  async #firstSignature({ nodeIds }: Signer): Promise<Outcome> {
    const { pool, board } = this.#parts
    const asked: Promise<Outcome>[] = []
    for (const nodeId of nodeIds) {
      const session = pool.session(nodeId)
      if (session !== undefined) asked.push(board.ask(this.#task.question, session))
    }
    const outcome = await firstOf(asked)
    // Another node of the key may still connect, and think otherwise.
    const final = asked.length === nodeIds.length || outcome.kind !== 'refused'
    return final ? outcome : { kind: 'failed', why: outcome.why }
  }

  #answered(progress: Progress, outcome: Outcome): void {
    const now = this.#parts.clock.monotonic()
    const { counters } = this.#parts
    if (outcome.kind === 'signature') {
      this.#tally.move(progress, 'checking')
      progress.signature = outcome.signature
      progress.sentBy = outcome.nodeId
      this.#pendingSince ??= now
    } else if (outcome.kind === 'refused') {
      counters.refused++
      this.#tally.move(progress, 'refused')
      progress.why = outcome.why
    } else {
      counters.silent++
      if (outcome.kind === 'absent') progress.attempts--
      this.#tally.failed(progress, outcome.why, now)
    }
  }

  /** Verifies off the loop, as late as it may decide something: a sum costs a pairing. */
  #verify(now: number): void {
    const tally = this.#tally
    if (this.#verifying || tally.weightOf('checking') === 0n) return
    const { bls } = this.#parts
    const { unsigned } = this.#task
    if (this.#remembered.length > 0) {
      const remembered = this.#remembered.splice(0)
      void this.#settle(remembered, proveEach(bls, unsigned, remembered.map(signedBy)))
      return
    }
    const here = tally.weightOf('signed', 'checking')
    const waited = now - (this.#pendingSince ?? now)
    const due = waited >= (here >= tally.needed ? sumMs : earlySumMs)
    const idle = tally.weightOf('asking') === 0n
    if (here < tally.target && !idle && !due && !this.#flush) return
    this.#flush = false
    this.#pendingSince = undefined
    // Those who will be told, so that this very sum is the answer; and else all who wait.
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
    } catch (error) {
      this.#problem = error
    }
    this.#verifying = false
    this.#stir()
  }

  #reject(progress: Progress): void {
    const { counters, cache, pool } = this.#parts
    cache.drop(this.#task.question.messageHex, progress.signer.keyHex)
    if (progress.sentBy === '') {
      // It was kept from an earlier sum, and who sent it is forgotten: the signer is asked now.
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
    const { counters, cache } = this.#parts
    // Those kept from earlier requests were counted then.
    if (progress.state === 'checking' && progress.sentBy !== '') counters.signatures++
    this.#tally.move(progress, 'signed')
    progress.proven = proven
    const { signature } = progress
    cache.put(this.#task.question.messageHex, progress.signer.keyHex, { signature, proven })
  }

  /** Something happened: the loop looks again. */
  #stir(): void {
    this.#woken = true
    const wake = this.#wake
    this.#wake = undefined
    // After the sockets that are readable now: their answers are looked at together.
    if (wake !== undefined) setImmediate(wake)
  }

  async #sleep(): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    this.#woken = false
  }

  async #tick(): Promise<void> {
    const { signal } = this.#ended
    while (!signal.aborted) {
      try {
        await this.#parts.clock.sleep(tickMs, signal)
      } catch (error) {
        if (!signal.aborted) this.#problem = error
      }
      this.#stir()
    }
  }
}

function signedBy({ signer, signature }: Progress): SignedBy {
  return { publicKey: signer.publicKey, signature }
}

/** The first signature of several answers, or else the most final of them. */
async function firstOf(asked: readonly Promise<Outcome>[]): Promise<Outcome> {
  if (asked[0] !== undefined && asked.length === 1) return asked[0]
  const signature = async (outcome: Promise<Outcome>): Promise<Outcome> => {
    const found = await outcome
    if (found.kind !== 'signature') throw new Fault('no-message', found.why)
    return found
  }
  try {
    return await Promise.any(asked.map(signature))
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error
    const outcomes = await Promise.all(asked)
    const failed = outcomes.find(({ kind }) => kind === 'failed')
    return failed ?? outcomes[0] ?? { kind: 'absent', why: connectionLost }
  }
}
