/**
 * Frames: a u32 length, then that many bytes of one message.
 *
 * Memory grows with what arrived, never with what a peer announces.
 *
 * Source: avalanchego network/peer/msg_length.go, utils/compression/zstd_compressor.go.
 */

import { zstdDecompressSync } from 'node:zlib'

import { Fault } from '../core/fault.ts'

/** Longest message, compressed and not. Source: utils/constants/networking.go. */
export const maxMessageSize = 2 * 1024 * 1024

/** `message` with its length before it. */
export function frameOf(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(4 + message.length)
  new DataView(frame.buffer).setUint32(0, message.length)
  frame.set(message, 4)
  return frame
}

/** Cuts a stream into messages. */
export class FrameReader {
  #pieces: Uint8Array[] = []
  #size = 0

  /** Returns whether a frame has begun and not ended. */
  get partial(): boolean {
    return this.#size > 0
  }

  /**
   * The messages that `chunk` completes. Views on chunks, unless a message came in pieces. Throws
   * `peer-misbehaved` when a frame is longer than {@link maxMessageSize}.
   */
  push(chunk: Uint8Array): Uint8Array[] {
    this.#pieces.push(chunk)
    this.#size += chunk.length
    const messages: Uint8Array[] = []
    for (;;) {
      const length = this.#nextLength()
      if (length === undefined || this.#size < 4 + length) return messages
      const bytes = this.#joined()
      messages.push(bytes.subarray(4, 4 + length))
      const rest = bytes.subarray(4 + length)
      this.#pieces = rest.length > 0 ? [rest] : []
      this.#size = rest.length
    }
  }

  #nextLength(): number | undefined {
    if (this.#size < 4) return undefined
    // Only a peer that trickles has less than four bytes in its first piece.
    const first = this.#pieces[0]
    const head = first !== undefined && first.length >= 4 ? first : this.#joined()
    const length = new DataView(head.buffer, head.byteOffset).getUint32(0)
    if (length > maxMessageSize) {
      throw new Fault('peer-misbehaved', `frame is longer than ${maxMessageSize} bytes: ${length}`)
    }
    return length
  }

  #joined(): Uint8Array {
    const [only] = this.#pieces
    if (this.#pieces.length === 1 && only !== undefined) return only
    const joined = new Uint8Array(Buffer.concat(this.#pieces, this.#size))
    this.#pieces = [joined]
    return joined
  }
}

/**
 * Decompresses bytes, `chunkSize` at a time. Throws `peer-misbehaved` for a bomb and for bytes that are
 * not zstd.
 */
export function decompress(bytes: Uint8Array, chunkSize?: number): Uint8Array {
  try {
    const { buffer, byteOffset, length } = zstdDecompressSync(bytes, {
      maxOutputLength: maxMessageSize,
      chunkSize,
    })
    return new Uint8Array(buffer, byteOffset, length)
  } catch (error) {
    throw new Fault('peer-misbehaved', 'compressed message is too long or broken', { cause: error })
  }
}
