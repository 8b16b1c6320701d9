/**
 * A process of a simulation: what it began goes on only while it lives, and waits while it is
 * frozen.
 *
 * Whatever it waits for of the outside, a clock, a node, a store, passes through here. After a kill
 * nothing of it comes back: a promise that never ends is all that is left of a process, as a closed
 * socket is all that others see of it.
 */

import type { Clock, World } from '../../src/core/world.ts'

/** Thrown inside a transaction that a kill ends. Nobody sees it: the caller is gone as well. */
export class Killed extends Error {}

/** One process. */
export class Life {
  #isDead = false
  #thaw: PromiseWithResolvers<void> | undefined
  readonly #ended: (() => void)[] = []

  get isDead(): boolean {
    return this.#isDead
  }

  get isFrozen(): boolean {
    return this.#thaw !== undefined
  }

  kill(): void {
    if (this.#isDead) return
    this.#isDead = true
    this.#thaw?.resolve()
    for (const end of this.#ended.splice(0)) end()
  }

  /** Called once when it is killed. */
  whenKilled(end: () => void): void {
    this.#ended.push(end)
  }

  freeze(): void {
    this.#thaw ??= Promise.withResolvers<void>()
  }

  thaw(): void {
    this.#thaw?.resolve()
    this.#thaw = undefined
  }

  /** Goes on when the process does; never, once it is dead. */
  async goesOn(): Promise<void> {
    while (this.#thaw !== undefined && !this.#isDead) await this.#thaw.promise
    if (this.#isDead) await never
  }

  /** `work`, whose outcome the process meets when it goes on. */
  async meets<T>(work: () => Promise<T>): Promise<T> {
    await this.goesOn()
    try {
      return await work()
    } finally {
      await this.goesOn()
    }
  }
}

const never = new Promise<never>(() => undefined)

/** The world as one process sees it. */
export function worldOf(life: Life, outside: World): World {
  const clock: Clock = {
    now: outside.clock.now,
    monotonic: outside.clock.monotonic,
    sleep: (ms, signal) => life.meets(() => outside.clock.sleep(ms, signal)),
  }
  return {
    clock,
    random: outside.random,
    transport: { request: (request) => life.meets(() => outside.transport.request(request)) },
    files: outside.files,
  }
}
