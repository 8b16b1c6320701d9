/**
 * Numbers for addresses, in order of first sight on the chain.
 *
 * A bounded cache stands before the store: two generations, the older dropped when the younger
 * is full, so that addresses in use stay. Keys are the 20 bytes as five words in one slab.
 */

import { FlatTable } from '../../../core/flat-table.ts'
import { f64At, itemAt, u32At } from '../../../core/item-at.ts'
import { type Writer, statement } from '../../../store/engine/database.ts'
import { casesOf } from '../../../store/query/evm/addresses.ts'
import { hashPrefix } from '../../../store/query/evm/position.ts'
import { address, addressByBytes } from '../../../store/schema/evm.ts'
import { radixOrder } from '../../stream/radix-order.ts'

/** Bytes of an address. */
const addressBytes = 20
const addressWords = addressBytes / 4

// 2^18 addresses a generation: twice 10 MiB with slots, which the 512 MiB of a backfill hold.
const defaultCapacity = 2 ** 18

const highestId = statement('select coalesce(max(id), 0) from address')

/** Gives addresses their numbers. After a failed transaction it must be made anew. */
export class Interner {
  #young: Generation
  #old: Generation
  readonly #capacity: number
  #next = -1

  constructor(capacity = defaultCapacity) {
    this.#capacity = capacity
    this.#young = new Generation(capacity)
    this.#old = new Generation(capacity)
  }

  /** Highest number given so far. */
  async highest(writer: Writer): Promise<number> {
    if (this.#next < 0) this.#next = ((await writer.get(highestId))?.[0] ?? 0) + 1
    return this.#next - 1
  }

  /** Numbers of `addresses`, 20 bytes each and all distinct; new ones are stored. */
  async ids(writer: Writer, addresses: Uint8Array): Promise<Float64Array> {
    const count = addresses.length / addressBytes
    const words = new Uint32Array(count * addressWords)
    new Uint8Array(words.buffer).set(addresses)
    const ids = new Float64Array(count)
    // Places of those that are not cached.
    const unknown: number[] = []
    for (let at = 0; at < ids.length; at++) {
      const word = at * addressWords
      let id = this.#young.find(words, word)
      if (id === 0) {
        id = this.#old.find(words, word)
        if (id !== 0) this.#keep(words, word, id)
      }
      if (id === 0) unknown.push(at)
      ids[at] = id
    }
    if (unknown.length > 0) await this.#fromStore(writer, { addresses, words, ids, unknown })
    return ids
  }

  async #fromStore(
    writer: Writer,
    batch: {
      readonly addresses: Uint8Array
      readonly words: Uint32Array
      readonly ids: Float64Array
      readonly unknown: readonly number[]
    },
  ): Promise<void> {
    let next = (await this.highest(writer)) + 1
    const { ids, unknown } = batch
    const bytes = unknown.map((at) => batch.addresses.subarray(at * 20, at * 20 + 20))
    const byBytes = { table: addressByBytes, key: ['bytes'], select: ['id'] } as const
    const rows = await writer.lookup(byBytes, [bytes])
    const fresh: number[] = []
    const freshBytes: Uint8Array[] = []
    for (const [row, at] of unknown.entries()) {
      const found = rows[row]
      const id = found === undefined ? next++ : found[0]
      ids[at] = id
      this.#keep(batch.words, at * addressWords, id)
      if (found !== undefined) continue
      fresh.push(id)
      freshBytes.push(itemAt(bytes, row))
    }
    this.#next = next
    const cased = casesOf(freshBytes)
    await writer.insert(address, { id: fresh, bytes: freshBytes, cased })
    // Nearly the order of the whole addresses, which is all a tree needs.
    const order = Array.from(radixOrder(Float64Array.from(freshBytes, hashPrefix)))
    await writer.insert(addressByBytes, {
      bytes: order.map((at) => itemAt(freshBytes, at)),
      id: order.map((at) => itemAt(fresh, at)),
    })
  }

  #keep(words: Uint32Array, at: number, id: number): void {
    if (this.#young.size === this.#capacity) {
      const emptied = this.#old
      this.#old = this.#young
      this.#young = emptied
      emptied.clear()
    }
    this.#young.add(words, at, id)
  }
}

/** Numbers of a bounded number of addresses. */
class Generation {
  readonly #table: FlatTable
  readonly #ids: Float64Array

  constructor(capacity: number) {
    this.#table = new FlatTable(addressWords, capacity)
    this.#ids = new Float64Array(capacity)
  }

  get size(): number {
    return this.#table.count
  }

  /** Number of the address at `words[at]`, or 0. */
  find(words: Uint32Array, at: number): number {
    this.#want(words, at)
    const entry = this.#table.find(addressWords)
    return entry === -1 ? 0 : f64At(this.#ids, entry)
  }

  /** Adds an address that is not in. */
  add(words: Uint32Array, at: number, id: number): void {
    this.#want(words, at)
    this.#ids[this.#table.entryOf(addressWords)] = id
  }

  #want(words: Uint32Array, at: number): void {
    const { key } = this.#table
    for (let word = 0; word < addressWords; word++) key[word] = u32At(words, at + word)
  }

  clear(): void {
    this.#table.clear()
  }
}
