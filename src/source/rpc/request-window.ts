/** Requests of one kind that an endpoint bears at once: found by trying. */

/** Where a window begins, and when it stops growing. */
export type WindowLimits = {
  readonly first: number
  readonly most: number
  /** Replies slower than this stop it from growing: more requests would only queue. */
  readonly slowMs: number
  /**
   * Replies that take more than so many times as long as the quickest ones make it begin with
   * `first` again: the endpoint does no more of them, they wait there. Never, where it is not said.
   */
  readonly slowerBy?: number
}

/** Growth of a window that was found too large for what an endpoint does at once. */
const carefulGrowth = 1.25

/** A window that doubles while replies are quick and whole, and is halved by a failure. */
export class RequestWindow {
  /** Requests that may be under way now. */
  size: number
  inFlight = 0
  /** Reply time of an average request, milliseconds; 0 before the first. */
  latencyMs = 0
  readonly #limits: WindowLimits
  #growing = true
  /**
   * Replies left to requests that were under way when the size changed, and say nothing about it.
   */
  #early = 0
  /** Good replies after those since the size was last judged, and the time they took. */
  #replies = 0
  #elapsedMs = 0
  /** Reply time of the quickest window of replies. */
  #quickestMs = Number.POSITIVE_INFINITY

  constructor(limits: WindowLimits) {
    this.#limits = limits
    this.size = Math.min(limits.first, limits.most)
  }

  /** Expected time of a request now: its own and that of those before it in the queue. */
  get expectedMs(): number {
    return this.latencyMs * (1 + this.inFlight / this.size)
  }

  /** A request came back as it should, after `elapsedMs`. */
  succeeded(elapsedMs: number): void {
    this.latencyMs = this.latencyMs === 0 ? elapsedMs : this.latencyMs * 0.9 + elapsedMs * 0.1
    if (this.#early > 0) {
      this.#early--
      return
    }
    this.#elapsedMs += elapsedMs
    if (++this.#replies < this.size) return
    // Replies that come slower wait for one another at the endpoint.
    const { slowerBy = Number.POSITIVE_INFINITY } = this.#limits
    const averageMs = this.#elapsedMs / this.#replies
    this.#quickestMs = Math.min(this.#quickestMs, averageMs)
    const isQueueing = averageMs > this.#quickestMs * slowerBy
    if (!isQueueing && this.latencyMs > this.#limits.slowMs) return
    this.failed()
    this.#early = this.#limits.slowerBy === undefined ? 0 : this.size
    if (isQueueing) this.#beginAgain()
    else this.#grow()
  }

  /** A request failed: replies are counted anew. */
  failed(): void {
    this.#replies = 0
    this.#elapsedMs = 0
  }

  /** It was too much. From now on it grows slowly. */
  shrink(): void {
    this.#growing = false
    this.size = Math.max(1, Math.floor(this.size / 2))
  }

  #grow(): void {
    const { most, slowerBy } = this.#limits
    const careful = slowerBy === undefined ? 0 : Math.floor(this.size * carefulGrowth)
    this.size = Math.min(most, this.#growing ? this.size * 2 : Math.max(this.size + 1, careful))
  }

  /** Work may have changed, so how quick it is is found out anew. */
  #beginAgain(): void {
    this.#growing = false
    this.#quickestMs = Number.POSITIVE_INFINITY
    this.size = Math.min(this.size, this.#limits.first)
  }
}
