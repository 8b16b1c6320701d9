/**
 * One address of a chain's nodes: how fast it is, how much it bears, whether it can be trusted.
 */

import { toHex } from '../../core/bytes.ts'
import type { Fault } from '../../core/fault.ts'
import { sha256 } from '../../core/hash.ts'
import type { ChainIdentity, EndpointStatus, StateCall } from '../evm-source.ts'
import { BatchSize } from '../rpc/json-rpc.ts'
import { RequestWindow } from '../rpc/request-window.ts'

/** Kinds of requests; one that an endpoint refused is not sent to it for a while. */
export type Capability = 'receipts' | 'traces' | 'stateChanges' | StateCall['method']

/**
 * Time for which a refusal is believed: at first, and at most. It doubles with each refusal, since
 * what a node truly does not offer it refuses every time, and what it refused once by mistake comes
 * back.
 */
const firstRefusalMs = 60_000
const longestRefusalMs = 3_600_000

/** Reads of blocks and state, and everything else that is quick. */
const usualWindow = { first: 16, slowMs: 500 }

/**
 * Reads of traces: the node executes blocks again, and what it does for its own must not wait
 * behind them. So they are no more than it works on: more of them take longer each.
 */
const tracesWindow = { first: 8, slowMs: 2_000, slowerBy: 2 }

/** Wait after the first failure; 1.5 times as long after each further one, up to the second. */
const firstWaitMs = 100
const longestWaitMs = 5_000

/** Longest wait a node may demand by Retry-After. */
const longestRetryAfterMs = 60_000

/** Bad answers in a row after which an endpoint is set aside for the longest wait. */
const distrustAfter = 3

/** Requests that may try a failed endpoint at once before one of them succeeds. */
const probes = 3

/** State of an endpoint. Lives as long as its pool; changed only through its methods. */
export class Endpoint {
  readonly url: string
  /** Scheme, host and six digits of a hash: paths and user names may hold keys. */
  readonly name: string
  readonly batch: BatchSize
  /** Newest height it named; -1 before it named any. */
  height = -1
  /** Set once its chain id and genesis were compared; unset again when it comes back. */
  identity: ChainIdentity | undefined
  /** Why it is not used any more. */
  quarantine: string | undefined
  /** Of all requests but those for traces, which have one of their own. */
  readonly usual: RequestWindow
  readonly traces: RequestWindow
  /** Bytes of an average trace of a block; 0 before the first. */
  traceBytes = 0
  readonly #most: number
  #failures = 0
  #badAnswers = 0
  #downUntil = 0
  #problem: string | undefined
  readonly #refusals = new Map<Capability, { readonly until: number; readonly lastedMs: number }>()

  constructor(url: string, most: number) {
    this.url = url
    this.name = endpointName(url)
    this.#most = most
    this.usual = new RequestWindow({ ...usualWindow, most })
    this.traces = new RequestWindow({ ...tracesWindow, most: Math.ceil(most / 2) })
    this.batch = new BatchSize(40)
  }

  /** When it may be used again: a monotonic time, in the past when now. */
  get readyAt(): number {
    return this.#downUntil
  }

  /** The window of requests that need `capability`. */
  windowOf(capability: Capability | undefined): RequestWindow {
    return capability === 'traces' ? this.traces : this.usual
  }

  /**
   * Returns whether it may take a request that needs `capability` at monotonic time `now`; an
   * urgent one does not wait because others were answered badly.
   */
  hasRoom(capability: Capability | undefined, now: number, isUrgent = false): boolean {
    if (this.quarantine !== undefined) return false
    if (now < this.#downUntil && !(isUrgent && this.#badAnswers > 0)) return false
    if (this.usual.inFlight + this.traces.inFlight >= this.#most) return false
    const { inFlight, size } = this.windowOf(capability)
    return inFlight < (this.#failures > 0 ? Math.min(probes, size) : size)
  }

  /**
   * Returns whether it refused `capability` so lately that it is not used for it again at `now`.
   */
  lacks(capability: Capability, now: number): boolean {
    return now < (this.#refusals.get(capability)?.until ?? Number.NEGATIVE_INFINITY)
  }

  /** It does not offer `capability`, it said at `now`. */
  refuses(capability: Capability, now: number): void {
    const lasted = this.#refusals.get(capability)?.lastedMs ?? firstRefusalMs / 2
    const lastedMs = Math.min(longestRefusalMs, lasted * 2)
    this.#refusals.set(capability, { until: now + lastedMs, lastedMs })
  }

  /** It offers `capability`: an earlier refusal was a mistake. */
  offers(capability: Capability): void {
    this.#refusals.delete(capability)
  }

  /** A request that needed `capability` came back as it should, after `elapsedMs`. */
  succeeded(capability: Capability | undefined, elapsedMs: number): void {
    this.#failures = 0
    // This pause is our own choice.
    if (this.#badAnswers > 0) this.#downUntil = 0
    this.#badAnswers = 0
    this.#problem = undefined
    this.windowOf(capability).succeeded(elapsedMs)
  }

  /** A trace of a block came back with so many bytes. */
  traced(bytes: number): void {
    this.traceBytes = this.traceBytes === 0 ? bytes : this.traceBytes * 0.9 + bytes * 0.1
  }

  /** A request that needed `capability` failed with `fault` at `now`. */
  failed(capability: Capability | undefined, fault: Fault, now: number): void {
    this.#problem = fault.message
    this.windowOf(capability).failed()
    switch (fault.code) {
      case 'node-throttled':
      case 'node-unreachable':
        this.#badAnswers = 0
        this.#backOff(waitOf(fault), now)
        return
      case 'node-answer':
        if (++this.#badAnswers >= distrustAfter) this.#backOff(longestWaitMs, now)
        return
      default:
        return
    }
  }

  /** Something it said turned out to be untrue at `now`. */
  doubted(reason: string, now: number): void {
    this.#problem = reason
    this.#backOff(longestWaitMs, now)
  }

  status(now: number): EndpointStatus {
    const state =
      this.quarantine !== undefined ? 'quarantined' : now < this.#downUntil ? 'waiting' : 'up'
    const problem = this.quarantine ?? this.#problem
    return {
      name: this.name,
      state,
      height: this.height,
      latencyMs: Math.round(this.usual.latencyMs),
      inFlight: this.usual.inFlight + this.traces.inFlight,
      window: this.usual.size,
      problem,
    }
  }

  #backOff(requestedMs: number, now: number): void {
    // Requests already under way when the first failed say nothing new.
    if (now < this.#downUntil) return
    const own = Math.min(longestWaitMs, firstWaitMs * 1.5 ** this.#failures)
    this.#failures++
    this.usual.shrink()
    this.traces.shrink()
    this.#downUntil = now + Math.max(own, requestedMs)
    this.identity = undefined
  }
}

/** Scheme and host of `url` with a short hash of all of it. */
export function endpointName(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}#${toHex(sha256(new TextEncoder().encode(url))).slice(0, 6)}`
}

function waitOf(fault: Fault): number {
  const wait = fault.detail['retryAfterMs']
  return typeof wait === 'number' ? Math.min(wait, longestRetryAfterMs) : 0
}
