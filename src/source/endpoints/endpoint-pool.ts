/**
 * Several endpoints of one chain as one: chooses the endpoint to call, and the next one after a
 * failure.
 *
 * An endpoint is used only after it proved to be of the same chain as the others. The fastest
 * that has the height wanted is called, now and then another one to keep its figures fresh. What
 * fails is tried elsewhere; a piece of work is always done by one endpoint alone.
 */

import { Fault, faultOf } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'
import type { ChainIdentity } from '../evm-source.ts'
import { agreedIdentity, type ExpectedChain, isDifferent } from './chain-census.ts'
import { Endpoint, type Capability } from './endpoint.ts'

/** Demands of a piece of work on its endpoint. */
export type Need = {
  /** Height the endpoint must have; -1 for none. */
  readonly height: number
  readonly capability?: Capability | undefined
  /** Names of endpoints that are used only where no other can be. */
  readonly otherThan?: readonly string[] | undefined
}

type PoolOptions = {
  readonly world: World
  readonly log: Log
  readonly urls: readonly string[]
  readonly maxInFlight: number
  /**
   * True where callers wait for what is requested: no endpoint is waited for that does not answer
   * now.
   */
  readonly isUrgent?: boolean
  /** The chain's identity, where it is known. */
  readonly expected: ExpectedChain
  /** Reads which chain an endpoint serves; `known` is what others said before. */
  readonly identify: (
    endpoint: Endpoint,
    known: ChainIdentity | undefined,
    signal: AbortSignal,
  ) => Promise<ChainIdentity>
}

/** Share of requests that go to another endpoint than the best. */
const explorationShare = 0.1

/** Tries of one piece of work for each endpoint before its fault is the caller's. */
const triesPerEndpoint = 3

/** Longest wait for an endpoint on behalf of a caller. */
const mostUrgentWaitMs = 1_000

/** A lone endpoint among several is believed after it answered in so many tries. */
const loneAnswersBelieved = 3

/** Endpoints of one chain. */
export class EndpointPool {
  readonly endpoints: readonly Endpoint[]
  readonly #options: PoolOptions
  #pinned: ChainIdentity | undefined
  /** The identity on which endpoints agreed. */
  #confirmed: ChainIdentity | undefined
  #loneAnswers = 0
  #released: (() => void)[] = []

  constructor(options: PoolOptions) {
    if (options.urls.length === 0) throw new Fault('bad-config', 'a chain has no rpcUrls')
    this.#options = options
    this.endpoints = options.urls.map((url) => new Endpoint(url, options.maxInFlight))
  }

  /**
   * Identity of the chain, once several endpoints agree or one repeats it: a store is made for it.
   * Throws `node-answer` while they do not agree, and `node-unreachable`.
   */
  async identity(signal: AbortSignal): Promise<ChainIdentity> {
    if (this.#options.expected.anyGenesis === true) this.#forgetIdentity()
    if (this.#pinned === undefined) await this.run({ height: -1 }, async () => {}, signal)
    const pinned = this.#pinned
    if (pinned === undefined) throw new Fault('node-unreachable', 'no endpoint answers')
    if (this.#confirmed === pinned) return pinned
    try {
      const usable = this.endpoints.filter(({ quarantine }) => quarantine === undefined)
      const { clock } = this.#options.world
      const identify = (endpoint: Endpoint): Promise<ChainIdentity> =>
        this.#identify(endpoint, signal)
      const agreed = await agreedIdentity(usable, identify, { clock, signal })
      const isAlone = agreed.endpoints === 1 && usable.length > 1
      if (isAlone && ++this.#loneAnswers < loneAnswersBelieved)
        throw new Fault('node-unreachable', 'only one endpoint says which chain this is')
      if (isDifferent(agreed.identity, pinned))
        throw new Fault('node-answer', `an endpoint reports another chain: ${pinned.chainId}`)
    } catch (error) {
      this.#forgetIdentity()
      throw error
    }
    this.#confirmed = pinned
    return pinned
  }

  #forgetIdentity(): void {
    this.#pinned = undefined
    for (const endpoint of this.endpoints) endpoint.identity = undefined
  }

  /** Uses endpoints again that were set aside, each after it said anew of which chain it is. */
  pardon(): void {
    for (const endpoint of this.endpoints) {
      if (endpoint.quarantine === undefined) continue
      endpoint.quarantine = undefined
      endpoint.identity = undefined
    }
  }

  /** Sets the endpoint of this name aside until all are, and the chain is read again. */
  distrust(name: string, reason: string): void {
    for (const endpoint of this.endpoints) {
      if (endpoint.name !== name || endpoint.quarantine !== undefined) continue
      endpoint.quarantine = reason
      this.#options.log.error('endpoint quarantined', { endpoint: name, reason })
    }
    for (const wake of this.#released.splice(0)) wake()
  }

  /** Lets the endpoint of this name wait, so that others are used. */
  doubt(name: string, reason: string): void {
    const { world, log } = this.#options
    for (const endpoint of this.endpoints) {
      if (endpoint.name !== name) continue
      endpoint.doubted(reason, world.clock.monotonic())
      log.warn('endpoint doubted', { endpoint: name, reason })
    }
  }

  /** Returns whether another endpoint than the one of this name may be used now. */
  hasOther(name: string): boolean {
    const now = this.#options.world.clock.monotonic()
    return this.endpoints.some(
      (endpoint) => endpoint.name !== name && endpoint.hasRoom(undefined, now),
    )
  }

  /** Requests that need `capability` and that all endpoints together bear now. */
  window(capability?: Capability): number {
    return this.endpoints
      .filter(({ quarantine }) => quarantine === undefined)
      .reduce((sum, endpoint) => sum + endpoint.windowOf(capability).size, 0)
  }

  /**
   * Does `work` with an endpoint that meets `need`; tries others when it fails.
   *
   * Throws the last fault when all tries failed, `node-refused` when no endpoint can do it.
   */
  async run<T>(
    need: Need,
    work: (endpoint: Endpoint) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const avoid = new Set(this.endpoints.filter(({ name }) => need.otherThan?.includes(name)))
    let last: Fault | undefined
    for (let tries = 0; tries < this.endpoints.length * triesPerEndpoint; tries++) {
      const endpoint = await this.#take(need, avoid, signal)
      try {
        await this.#verify(endpoint, signal)
        const result = await this.#attempt(endpoint, need, () => work(endpoint))
        if (need.capability !== undefined) endpoint.offers(need.capability)
        return result
      } catch (error) {
        signal.throwIfAborted()
        const failure = faultOf(error)
        if (failure === undefined) throw error
        const fault = faultFor(need, failure)
        last = fault
        avoid.add(endpoint)
        if (avoid.size === this.endpoints.length) avoid.clear()
        this.#judge(endpoint, fault, need)
        if (!this.#worthAnotherTry(fault, tries + 1)) break
      } finally {
        endpoint.windowOf(need.capability).inFlight--
        for (const wake of this.#released.splice(0)) wake()
      }
    }
    throw last ?? new Fault('node-unreachable', 'no endpoint answers')
  }

  async #attempt<T>(endpoint: Endpoint, need: Need, work: () => Promise<T>): Promise<T> {
    const { clock } = this.#options.world
    const started = clock.monotonic()
    const result = await work()
    endpoint.succeeded(need.capability, clock.monotonic() - started)
    return result
  }

  /** Waits until an endpoint that meets the need has room, and takes that room. */
  async #take(need: Need, avoid: ReadonlySet<Endpoint>, signal: AbortSignal): Promise<Endpoint> {
    const { world, isUrgent } = this.#options
    const { clock } = world
    for (;;) {
      signal.throwIfAborted()
      const now = clock.monotonic()
      const able = this.endpoints.filter((endpoint) => meets(endpoint, need, now))
      if (able.length === 0) throw this.#noneFor(need)
      // Those of `able` that are used now: where others are wanted than some, these alone while they can
      // be used, also when each is busy. A comparison is worth waiting for.
      const others = able.filter(
        ({ name, readyAt }) => readyAt <= now && need.otherThan?.includes(name) === false,
      )
      const wanted = others.length > 0 ? others : able
      const chosen = this.#choose(
        wanted.filter((endpoint) => endpoint.hasRoom(need.capability, now, isUrgent)),
        avoid,
        need,
      )
      if (chosen !== undefined) {
        chosen.windowOf(need.capability).inFlight++
        return chosen
      }
      const soonest = Math.min(...wanted.map(({ readyAt }) => readyAt))
      if (isUrgent === true && soonest - now > mostUrgentWaitMs)
        throw new Fault('node-unreachable', 'no endpoint answers now')
      if (soonest > now) await clock.sleep(soonest - now, signal)
      else await this.#release(signal)
    }
  }

  /** Resolves when any request ends, or the signal is aborted. */
  #release(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
      this.#released.push(done)
    })
  }

  #choose(
    ready: readonly Endpoint[],
    avoid: ReadonlySet<Endpoint>,
    need: Need,
  ): Endpoint | undefined {
    const fresh = ready.filter((endpoint) => !avoid.has(endpoint))
    const pool = fresh.length > 0 ? fresh : ready
    const known = pool.filter(({ height }) => height < 0 || height >= need.height)
    const candidates = known.length > 0 ? known : pool
    if (candidates.length < 2) return candidates[0]
    const { random } = this.#options.world
    if (random.number() < explorationShare)
      return candidates[Math.floor(random.number() * candidates.length)]
    const timeOf = (endpoint: Endpoint): number => endpoint.windowOf(need.capability).expectedMs
    return candidates.reduce((best, each) => (timeOf(each) < timeOf(best) ? each : best))
  }

  async #verify(endpoint: Endpoint, signal: AbortSignal): Promise<void> {
    if (endpoint.identity !== undefined) return
    const found = await this.#identify(endpoint, signal)
    const { expected } = this.#options
    const wanted: ExpectedChain = { ...expected, ...this.#pinned }
    // One wrong answer may be a mistake, and an endpoint set aside stays so.
    if (isDifferent(wanted, found) && !isDifferent(wanted, await this.#identify(endpoint, signal)))
      throw new Fault('node-answer', `endpoint reported another chain once: ${endpoint.name}`)
    if (isDifferent(wanted, found)) throw otherChain(endpoint.name, found, wanted)
    endpoint.identity = found
    this.#pinned ??= found
  }

  async #identify(endpoint: Endpoint, signal: AbortSignal): Promise<ChainIdentity> {
    try {
      return await this.#options.identify(endpoint, this.#pinned, signal)
    } catch (error) {
      const fault = faultOf(error)
      throw fault === undefined ? error : faultFor({ height: -1 }, fault)
    }
  }

  #judge(endpoint: Endpoint, fault: Fault, need: Need): void {
    const { world, log } = this.#options
    endpoint.failed(need.capability, fault, world.clock.monotonic())
    if (fault.code === 'source-mismatch') {
      endpoint.quarantine = fault.message
      log.error('endpoint quarantined', { endpoint: endpoint.name, ...fault.detail })
    } else if (fault.code === 'node-not-yet') {
      if (need.capability === undefined)
        endpoint.height = Math.min(endpoint.height, need.height - 1)
    } else if (fault.code === 'node-refused' && need.capability !== undefined) {
      endpoint.refuses(need.capability, world.clock.monotonic())
      log.warn('endpoint lacks capability', {
        endpoint: endpoint.name,
        capability: need.capability,
      })
    } else {
      log.debug('endpoint failed', { endpoint: endpoint.name, code: fault.code })
    }
  }

  #worthAnotherTry(fault: Fault, tries: number): boolean {
    // Data that no endpoint has needs time, not more questions.
    if (fault.code === 'node-not-yet' || fault.code === 'not-served')
      return tries < this.endpoints.length
    if (fault.retryable) return true
    return (
      (fault.code === 'source-mismatch' || fault.code === 'node-refused') &&
      this.endpoints.length > 1
    )
  }

  #noneFor(need: Need): Fault {
    const quarantined = this.endpoints.find(({ quarantine }) => quarantine !== undefined)
    if (this.endpoints.every(({ quarantine }) => quarantine !== undefined))
      return new Fault('source-mismatch', quarantined?.quarantine ?? 'no endpoint can be trusted')
    return new Fault('node-refused', `no endpoint offers what is needed: ${need.capability}`)
  }
}

/** The fault of an endpoint that serves a chain of another id, or of another genesis. */
function otherChain(name: string, found: ChainIdentity, wanted: ExpectedChain): Fault {
  const isId = wanted.chainId !== undefined && wanted.chainId !== found.chainId
  const what = isId ? 'another chain' : 'a chain of the same id with another genesis'
  return new Fault('source-mismatch', `endpoint serves ${what}: ${name}`, {
    detail: isId
      ? { chainId: found.chainId, wanted: wanted.chainId }
      : { genesisHash: found.genesisHash, wanted: wanted.genesisHash },
  })
}

function meets(endpoint: Endpoint, need: Need, now: number): boolean {
  if (endpoint.quarantine !== undefined) return false
  return need.capability === undefined || !endpoint.lacks(need.capability, now)
}

/**
 * Every node of an EVM chain offers the methods without which there is no chain: one that refuses
 * them is starting, badly routed or wrongly addressed, and is called again.
 */
function faultFor(need: Need, fault: Fault): Fault {
  if (fault.code !== 'node-refused' || need.capability !== undefined) return fault
  return new Fault('node-unreachable', fault.message, { detail: fault.detail, cause: fault })
}
