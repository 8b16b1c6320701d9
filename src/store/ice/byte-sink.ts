/** Bytes that grow at their end, little-endian. */

/** Buffer that a group of rows is written into; {@link ByteSink.taken} ends it. */
export class ByteSink {
  #bytes = new Uint8Array(4_096)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  u8(value: number): void {
    this.#reserve(1)
    this.#view.setUint8(this.#length, value)
    this.#length += 1
  }

  u16(value: number): void {
    this.#reserve(2)
    this.#view.setUint16(this.#length, value, true)
    this.#length += 2
  }

  u32(value: number): void {
    this.#reserve(4)
    this.#view.setUint32(this.#length, value, true)
    this.#length += 4
  }

  f64(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.#length, value, true)
    this.#length += 8
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** The next `length` bytes, to be written before anything else is. */
  room(length: number): Uint8Array {
    this.#reserve(length)
    this.#length += length
    return this.#bytes.subarray(this.#length - length, this.#length)
  }

  /** A copy of all bytes; the sink is empty then. */
  taken(): Uint8Array {
    const bytes = this.#bytes.slice(0, this.#length)
    this.#length = 0
    return bytes
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}
