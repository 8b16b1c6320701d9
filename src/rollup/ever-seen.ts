/**
 * Addresses that were ever active or ever deployed, one bit per address id, saved where it changed.
 */

import { u8At } from '../core/item-at.ts'
import { statement, type Reader, type Writer } from '../store/engine/database.ts'
import { everSeen } from '../store/schema/metrics.ts'

/** Kinds of first sight: 0 active, 1 deployed by receipts, 2 deployed by traces. */
export type SeenKind = 0 | 1 | 2

// 512 bytes: small enough to rewrite at the head, large enough not to be the cost of a backfill.
const idsPerChunk = 4_096
const kinds = 3

const allChunks = statement('select kind, chunk, bits from ever_seen order by kind, chunk')

/** The sets in memory, with the chunks that changed since the last save. */
export class EverSeen {
  readonly #chunks = new Map<number, Uint8Array>()
  readonly #dirty = new Set<number>()

  /** Marks `id`; the caller knows that it was not marked. */
  add(kind: SeenKind, id: number): void {
    const key = Math.floor(id / idsPerChunk) * kinds + kind
    let bits = this.#chunks.get(key)
    if (bits === undefined) {
      bits = new Uint8Array(idsPerChunk / 8)
      this.#chunks.set(key, bits)
    }
    const place = id % idsPerChunk
    bits[place >>> 3] = u8At(bits, place >>> 3) | (1 << (place & 7))
    this.#dirty.add(key)
  }

  /** Reads all chunks, calling `visit` with every id marked. */
  async load(reader: Reader, visit: (kind: SeenKind, id: number) => void): Promise<void> {
    for (const [kind, chunk, bits] of await reader.all(allChunks)) {
      if (typeof chunk !== 'number' || !(bits instanceof Uint8Array)) continue
      const which: SeenKind = kind === 0 ? 0 : kind === 1 ? 1 : 2
      this.#chunks.set(chunk * kinds + which, Uint8Array.from(bits))
      for (let place = 0; place < idsPerChunk; place++) {
        if ((u8At(bits, place >>> 3) >>> (place & 7)) & 1) visit(which, chunk * idsPerChunk + place)
      }
    }
  }

  /** Writes the chunks that changed. */
  async save(writer: Writer): Promise<void> {
    const keys = [...this.#dirty].sort((a, b) => (a % kinds) - (b % kinds) || a - b)
    this.#dirty.clear()
    await writer.upsert(everSeen, {
      kind: keys.map((key) => key % kinds),
      chunk: keys.map((key) => Math.floor(key / kinds)),
      bits: keys.map((key) => this.#chunks.get(key) ?? null),
    })
  }
}
