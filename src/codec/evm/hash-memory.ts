/**
 * Memory in which messages are written and hashed where they lie, two at a time.
 *
 * Whoever proves blocks writes into `bytes` from {@link firstFree} on, adds what is to be hashed,
 * and reads the hashes there after {@link HashMemory.run}. Lives as long as its thread; nothing in
 * it outlives a block.
 */

import { assert } from '../../core/fault.ts'
import { once } from '../../core/once.ts'
import { keccakModule, rateBytes, scratchAt } from './keccak-code.ts'

/** As much of the runtime's WebAssembly as is used; TypeScript knows it with browsers only. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

type Kernel = {
  readonly memory: { readonly buffer: ArrayBuffer; readonly grow: (pages: number) => number }
  readonly step: (first: number, second: number, keepFirst: number, keepSecond: number) => void
  readonly last: (scratch: number, from: number, size: number) => void
  readonly digest: (half: number, to: number) => void
  readonly unhex: (from: number, until: number, to: number) => number
}

const pageBytes = 65_536

const compiled = once((): object => new WebAssembly.Module(keccakModule()))

/** One thread's memory for hashing. */
export class HashMemory {
  /** All of the memory. Another array after {@link HashMemory.reserve}. */
  bytes: Uint8Array<ArrayBuffer>
  /** The same memory; its methods write text. */
  text: Buffer
  readonly #kernel: Kernel
  /** From, size and place of the hash of each message. */
  #jobs = new Int32Array(3 * 256)
  #count = 0

  constructor() {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- exports of our own module
    this.#kernel = new WebAssembly.Instance(compiled()).exports as Kernel
    this.bytes = new Uint8Array(this.#kernel.memory.buffer)
    this.text = Buffer.from(this.#kernel.memory.buffer)
  }

  /** Makes the memory at least `size` bytes. */
  reserve(size: number): void {
    if (size <= this.bytes.length) return
    const wanted = Math.max(size, this.bytes.length * 2)
    this.#kernel.memory.grow(Math.ceil((wanted - this.bytes.length) / pageBytes))
    this.bytes = new Uint8Array(this.#kernel.memory.buffer)
    this.text = Buffer.from(this.#kernel.memory.buffer)
  }

  /**
   * Bytes of the digits `[from, until)`, which lie in memory as text, to `to`: an even number of at
   * least 32. False when one is no digit.
   */
  unhex(from: number, until: number, to: number): boolean {
    return this.#kernel.unhex(from, until, to) === 1
  }

  /** Wants the hash of `size` bytes from `from` on at `to`. Both stay untouched until `run`. */
  add(from: number, size: number, to: number): void {
    const at = this.#count++ * 3
    if (at >= this.#jobs.length) {
      const grown = new Int32Array(this.#jobs.length * 2)
      grown.set(this.#jobs)
      this.#jobs = grown
    }
    this.#jobs[at] = from
    this.#jobs[at + 1] = size
    this.#jobs[at + 2] = to
  }

  /** Hashes all that was added. */
  run(): void {
    const first = new Lane(this.#kernel, 0)
    const second = new Lane(this.#kernel, 1)
    let next = 0
    for (;;) {
      if (!first.busy && next < this.#count) first.begin(this.#jobs, next++)
      if (!second.busy && next < this.#count) second.begin(this.#jobs, next++)
      if (!first.busy && !second.busy) break
      const keepFirst = first.keep
      const keepSecond = second.keep
      this.#kernel.step(first.next(), second.next(), keepFirst, keepSecond)
      first.stepped()
      second.stepped()
    }
    this.#count = 0
  }
}

/** One of the two messages that are hashed at once. */
class Lane {
  busy = false
  /** -1 within a message, 0 at its beginning. */
  keep = 0
  readonly #kernel: Kernel
  readonly #scratch: number
  readonly #half: number
  #from = 0
  #left = 0
  #to = 0

  constructor(kernel: Kernel, place: 0 | 1) {
    this.#kernel = kernel
    this.#scratch = scratchAt[place]
    this.#half = place * 8
  }

  begin(jobs: Int32Array, job: number): void {
    const [from, size, to] = [jobs[job * 3], jobs[job * 3 + 1], jobs[job * 3 + 2]]
    assert(from !== undefined && size !== undefined && to !== undefined, 'the job was added')
    this.#from = from
    this.#left = size
    this.#to = to
    this.busy = true
    this.keep = 0
  }

  /** Where the next block lies; anywhere when there is none. */
  next(): number {
    this.keep = -1
    if (!this.busy) return this.#scratch
    const at = this.#from
    this.#from += rateBytes
    this.#left -= rateBytes
    if (this.#left >= 0) return at
    this.#kernel.last(this.#scratch, at, this.#left + rateBytes)
    return this.#scratch
  }

  stepped(): void {
    if (!this.busy || this.#left >= 0) return
    this.#kernel.digest(this.#half, this.#to)
    this.busy = false
  }
}
