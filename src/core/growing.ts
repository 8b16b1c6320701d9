/**
 * Columns of numbers, and of byte strings of one width, that grow by doubling.
 *
 * Each lives for one batch; `taken` hands the filled part over, after which it must not grow.
 */

import { f64At, u32At } from './item-at.ts'

const leastCapacity = 8

/** Growing 32-bit integers. */
export class Words {
  #values: Uint32Array<ArrayBuffer>
  length = 0

  constructor(capacity: number) {
    this.#values = new Uint32Array(Math.max(capacity, leastCapacity))
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = new Uint32Array(this.length * 2)
      grown.set(this.#values)
      this.#values = grown
    }
    this.#values[this.length++] = value
  }

  at(index: number): number {
    return u32At(this.#values, index)
  }

  taken(): Uint32Array<ArrayBuffer> {
    return this.#values.subarray(0, this.length)
  }
}

/** Growing doubles. */
export class Doubles {
  #values: Float64Array<ArrayBuffer>
  length = 0

  constructor(capacity: number) {
    this.#values = new Float64Array(Math.max(capacity, leastCapacity))
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = new Float64Array(this.length * 2)
      grown.set(this.#values)
      this.#values = grown
    }
    this.#values[this.length++] = value
  }

  /** Changes a value that is there. */
  set(index: number, value: number): void {
    this.#values[index] = value
  }

  at(index: number): number {
    return f64At(this.#values, index)
  }

  taken(): Float64Array<ArrayBuffer> {
    return this.#values.subarray(0, this.length)
  }
}

/** Growing unsigned 64-bit integers. */
export class Bigs {
  #values: BigUint64Array<ArrayBuffer>
  length = 0

  constructor(capacity: number) {
    this.#values = new BigUint64Array(Math.max(capacity, leastCapacity))
  }

  push(value: bigint): void {
    if (this.length === this.#values.length) {
      const grown = new BigUint64Array(this.length * 2)
      grown.set(this.#values)
      this.#values = grown
    }
    this.#values[this.length++] = value
  }

  taken(): BigUint64Array<ArrayBuffer> {
    return this.#values.subarray(0, this.length)
  }
}

/** Growing byte strings of one width. */
export class ByteRows {
  readonly width: number
  #bytes: Uint8Array<ArrayBuffer>
  length = 0

  constructor(width: number, capacity: number) {
    this.width = width
    this.#bytes = new Uint8Array(width * Math.max(capacity, leastCapacity))
  }

  /** Adds the bytes from `from` on, or zeros where they end. */
  push(value: Uint8Array, from = 0): void {
    const start = this.length++ * this.width
    if (start === this.#bytes.length) {
      const grown = new Uint8Array(start * 2)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    // Ids and addresses are short: a call of the runtime's copy would take longer.
    for (let at = 0; at < this.width; at++) this.#bytes[start + at] = value[from + at] ?? 0
  }

  taken(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length * this.width)
  }
}

/** The memory of all columns in `value`, to hand it to another thread without a copy. */
export function buffersOf(value: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>()
  collect(value, found)
  return [...found]
}

function collect(value: unknown, found: Set<ArrayBuffer>): void {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer)
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) collect(part, found)
  }
}
