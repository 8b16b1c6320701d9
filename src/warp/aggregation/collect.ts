/**
 * Collecting signatures for one message from one validator set.
 *
 * One loop: look how it stands, request what is missing, let `verifier.ts` verify what came, sleep
 * until something happens. Everything it starts ends by itself within a node's time to answer.
 */

import { Fault } from '../../core/fault.ts'
import type { Signer } from '../validator-set.ts'
import type { CollectOptions, CollectTask } from './collect-task.ts'
import type { Outcome } from './request-board.ts'
import { connectionLost, type Progress, Tally } from './tally.ts'
import { type Sum, Verifier } from './verifier.ts'

/** Time for connecting before missing connections are the reason to give up. */
const connectMs = 30_000
/** Wait for the rest once the quorum without its buffer is reached. */
const bufferMs = 2_000
/** Failed connections in a row after which a node does not count as on its way. */
const goneAfter = 2
/** Between two looks at the clock. */
const tickMs = 50

/** Signers whose weight reaches the quorum, in canonical order, and the sum of their signatures. */
export type Collected = { readonly signers: readonly Progress[] } & Sum

/** Collects signatures for `task`. */
export async function collect(
  options: CollectOptions,
  task: CollectTask,
  signal: AbortSignal,
): Promise<Collected> {
  const collection = new Collection(options, task)
  try {
    return await collection.run(signal)
  } finally {
    collection.end()
  }
}

class Collection {
  readonly #options: CollectOptions
  readonly #task: CollectTask
  readonly #tally: Tally
  readonly #startedAt: number
  readonly #ended = new AbortController()
  readonly #unwatch: () => void
  readonly #verifier: Verifier
  #quorumAt: number | undefined
  #reachedAt = Number.NEGATIVE_INFINITY
  #wake: (() => void) | undefined
  #woken = false
  #problem: unknown

  constructor(options: CollectOptions, task: CollectTask) {
    this.#options = options
    this.#task = task
    this.#tally = new Tally(task.set, task.goal, task.excluded)
    this.#startedAt = options.clock.monotonic()
    this.#unwatch = options.pool.watch(() => this.#stir())
    this.#verifier = new Verifier(options, task, this.#tally, (problem) => {
      this.#problem ??= problem
      this.#stir()
    })
  }

  async run(signal: AbortSignal): Promise<Collected> {
    const { cache, pool, counters } = this.#options
    const { question, subnetId } = this.#task
    const missing: string[] = []
    for (const progress of this.#tally.byWeight) {
      const kept = cache.get(question.messageHex, progress.signer.keyHex)
      if (kept !== undefined && progress.state !== 'excluded') {
        progress.signature = kept.signature
        progress.proven = kept.proven
        this.#tally.move(progress, kept.proven ? 'signed' : 'checking')
        if (!kept.proven) this.#verifier.remember(progress)
        counters.cached++
      } else if (progress.state === 'idle') missing.push(...progress.signer.nodeIds)
    }
    const here = this.#tally.weightOf('signed', 'checking')
    if (here < this.#tally.target) pool.want(missing, subnetId)
    const stop = (): void => this.#stir()
    signal.addEventListener('abort', stop)
    try {
      void this.#tick()
      for (;;) {
        signal.throwIfAborted()
        if (this.#problem !== undefined) throw this.#problem
        const now = this.#options.clock.monotonic()
        if (this.#decide(now)) {
          const signers = this.#tally.chosen()
          return { signers, ...this.#verifier.sumOf(signers) }
        }
        for (const progress of this.#tally.due(now, this.#connected)) {
          this.#tally.move(progress, 'requested')
          progress.attempts++
          this.#options.counters.asked++
          void this.#requestFrom(progress)
        }
        this.#verifier.look(now)
        if (!this.#woken) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
        }
        this.#woken = false
      }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  end(): void {
    this.#ended.abort()
    this.#unwatch()
  }

  readonly #connected = ({ nodeIds }: Signer): boolean =>
    nodeIds.some((nodeId) => this.#options.pool.session(nodeId) !== undefined)

  readonly #whereIs = (signer: Signer): string => {
    if (this.#connected(signer)) return 'not asked'
    const offences = signer.nodeIds.map((nodeId) => this.#options.pool.offence(nodeId))
    const offence = offences.find((found) => found !== undefined)
    return offence === undefined ? 'not connected' : `left alone (${offence})`
  }

  readonly #gone = ({ nodeIds }: Signer): boolean =>
    nodeIds.every((nodeId) => this.#options.pool.failures(nodeId) >= goneAfter)

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
    this.#verifier.hurry()
    return false
  }

  #shortfall(what: 'connect' | 'collect'): Fault {
    const fault = this.#tally.shortfall(what, this.#whereIs)
    // Nobody at all: it is our connection to the network that is missing, and may come back.
    const alone = what === 'connect' && this.#options.pool.status().connected === 0
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

  /** Returns whether everybody who can be called now has answered. */
  #settled(): boolean {
    if (this.#tally.busy) return false
    return !this.#tally.byWeight.some(
      ({ state, attempts, signer }) =>
        state === 'idle' && attempts === 0 && this.#connected(signer),
    )
  }

  async #requestFrom(progress: Progress): Promise<void> {
    try {
      const outcome = await this.#firstSignature(progress.signer)
      const now = this.#options.clock.monotonic()
      const { counters } = this.#options
      if (outcome.kind === 'signature') {
        this.#tally.move(progress, 'checking')
        progress.signature = outcome.signature
        progress.sentBy = outcome.nodeId
        this.#verifier.arrived(now)
      } else if (outcome.kind === 'refused') {
        counters.refused++
        this.#tally.move(progress, 'refused')
        progress.why = outcome.why
      } else {
        counters.silent++
        if (outcome.kind === 'absent') progress.attempts--
        this.#tally.failed(progress, outcome.why, now)
      }
    } catch (error) {
      this.#problem = error
    }
    this.#stir()
  }

  /** Calls every node of a key that is connected; the first signature counts. */
  async #firstSignature({ nodeIds }: Signer): Promise<Outcome> {
    const { pool, board } = this.#options
    const answers: Promise<Outcome>[] = []
    for (const nodeId of nodeIds) {
      const session = pool.session(nodeId)
      if (session !== undefined) answers.push(board.request(this.#task.question, session))
    }
    const outcome = await firstOf(answers)
    // Another node of the key may still connect, and think otherwise.
    const final = answers.length === nodeIds.length || outcome.kind !== 'refused'
    return final ? outcome : { kind: 'failed', why: outcome.why }
  }

  /** Something happened: the loop looks again. */
  #stir(): void {
    this.#woken = true
    const wake = this.#wake
    this.#wake = undefined
    // After the sockets that are readable now: their answers are looked at together.
    if (wake !== undefined) setImmediate(wake)
  }

  async #tick(): Promise<void> {
    const { signal } = this.#ended
    while (!signal.aborted) {
      try {
        await this.#options.clock.sleep(tickMs, signal)
      } catch (error) {
        if (!signal.aborted) this.#problem = error
      }
      this.#stir()
    }
  }
}

/** The first signature of several answers, or else the most final of them. */
async function firstOf(answers: readonly Promise<Outcome>[]): Promise<Outcome> {
  if (answers[0] !== undefined && answers.length === 1) return answers[0]
  const signature = async (outcome: Promise<Outcome>): Promise<Outcome> => {
    const found = await outcome
    if (found.kind !== 'signature') throw new Fault('no-message', found.why)
    return found
  }
  try {
    return await Promise.any(answers.map(signature))
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error
    const outcomes = await Promise.all(answers)
    const failed = outcomes.find(({ kind }) => kind === 'failed')
    return failed ?? outcomes[0] ?? { kind: 'absent', why: connectionLost }
  }
}
