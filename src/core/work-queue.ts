/** Work done one after another, in the order it was asked for. */

/** A queue that is empty. */
export class WorkQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Does `work` once all that was asked before is done. A failure is its caller's alone. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  /** Resolves once all that was asked so far is done. */
  async idle(): Promise<void> {
    await this.#last
  }
}
