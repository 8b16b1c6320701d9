/** Wakes those who wait for something, again and again. */

/**
 * A bell that any number of waits hear. A wait that ends by its signal leaves nothing behind, as one
 * in a race with a promise would that lives until the bell rings.
 */
export class Bell {
  readonly #ears = new Set<() => void>()

  /** Ends the waits of now; later ones wait for the next time. */
  ring(): void {
    for (const heard of this.#ears) heard()
  }

  /** Resolves when the bell rings, or `signal` is aborted. */
  async heard(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    this.#ears.add(wake)
    signal.addEventListener('abort', wake)
    await promise
    this.#ears.delete(wake)
    signal.removeEventListener('abort', wake)
  }
}
