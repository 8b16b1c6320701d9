/** Limits on one peer: bytes, messages and time. */

/** Limits of sessions and of the pool. All times in milliseconds. */
export type PeerLimits = {
  /** TLS and handshake together. Source: node default `network-read-handshake-timeout` 15 s. */
  readonly handshakeMs: number
  /**
   * A session without a complete message for this long ends. Source: node default ping timeout 30
   * s.
   */
  readonly silenceMs: number
  /** Between our pings. Source: node default `network-ping-frequency` 22.5 s. */
  readonly pingMs: number
  /** A message that has begun must end within this; a trickle does not. */
  readonly frameMs: number
  /** Time a validator has for its answer. Nodes drop requests after 10 s themselves. */
  readonly answerMs: number
  /** Requests waiting for one peer's answer; a node works on two at a time per chain. */
  readonly maxOutstanding: number
  /** Requests waiting for a place among the outstanding. */
  readonly maxQueued: number
  /** Messages a peer may send per second, with four seconds' worth at once. */
  readonly messagesPerSecond: number
  /** Bytes a peer may send per second, decompressed ones included, four seconds' worth at once. */
  readonly bytesPerSecond: number
  /** Bytes we hold for a peer that does not read. */
  readonly maxUnsentBytes: number
  /** Before dialling the same node again; doubled after each failure. Nodes refuse below 10 s. */
  readonly retryMs: number
  readonly maxRetryMs: number
  /** Time for which a peer that broke the protocol is left alone. */
  readonly banMs: number
  /** A session unused for this long is closed. */
  readonly idleMs: number
  /** New connections per second, so that a large set does not stop everything else. */
  readonly dialsPerSecond: number
  readonly maxSessions: number
  /** Between two looks at all sessions. */
  readonly tickMs: number
}

/** Limits towards AvalancheGo nodes with default settings. */
export const defaultPeerLimits: PeerLimits = {
  handshakeMs: 15_000,
  silenceMs: 30_000,
  pingMs: 22_500,
  frameMs: 15_000,
  answerMs: 10_000,
  maxOutstanding: 16,
  maxQueued: 64,
  messagesPerSecond: 500,
  bytesPerSecond: 4 * 1024 * 1024,
  maxUnsentBytes: 4 * 1024 * 1024,
  retryMs: 11_000,
  maxRetryMs: 60_000,
  banMs: 600_000,
  idleMs: 600_000,
  dialsPerSecond: 50,
  // 130 KB each: 4,096 would be 530 MB, and the largest set has about 1,000.
  maxSessions: 2_048,
  tickMs: 250,
}

/** An allowance that refills: `rate` per second, at most `burst` saved up. */
export class Allowance {
  #left: number
  #at: number
  readonly #rate: number
  readonly #burst: number

  constructor(rate: number, burst: number, now: number) {
    this.#rate = rate
    this.#burst = burst
    this.#left = burst
    this.#at = now
  }

  /**
   * Takes `amount` at monotonic time `now`; `false`, and nothing taken, when there is not so much.
   * `pending`: so much of what was given is not saved up but still to come.
   */
  take(amount: number, now: number, pending = 0): boolean {
    const most = this.#burst + pending
    this.#left = Math.min(most, this.#left + ((now - this.#at) * this.#rate) / 1000)
    this.#at = now
    if (this.#left < amount) return false
    this.#left -= amount
    return true
  }

  /** Allows `amount` more, as an answer of this size was requested. */
  give(amount: number): void {
    this.#left += amount
  }
}
