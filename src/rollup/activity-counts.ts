/** Transactions and gas by address, in memory and in few bytes: seven or so an address. */

import { Fault } from '../core/fault.ts'
import { FlatTable } from '../core/flat-table.ts'
import { Doubles } from '../core/growing.ts'
import { f64At, u32At, u8At } from '../core/item-at.ts'
import { encodeNumbers } from './member-list.ts'

const wordSize = 2 ** 32
const partSize = 5_000

/** A place in a list: its byte, and the number of the address before it. */
export type ListPlace = { readonly at: number; readonly id: number }

/** The beginning of every list. */
export const listStart: ListPlace = { at: 0, id: 0 }

/** Counts by the number of the address, of any span of time. */
export class ActivityCounts {
  /** Places of addresses, by both words of their numbers. */
  readonly #places = new FlatTable(2, 64)
  readonly #txs = new Doubles(64)
  readonly #gas = new Doubles(64)

  /** Number of addresses. */
  get size(): number {
    return this.#places.count
  }

  /** Adds `txs` transactions of `id`, which used `gas` together. */
  add(id: number, txs: number, gas: number): void {
    const { key } = this.#places
    key[0] = id % wordSize
    key[1] = Math.floor(id / wordSize)
    const place = this.#places.entryOf(2)
    if (place === this.#txs.length) {
      this.#txs.push(txs)
      this.#gas.push(gas)
      return
    }
    this.#txs.set(place, this.#txs.at(place) + txs)
    this.#gas.set(place, this.#gas.at(place) + gas)
  }

  /** Adds what {@link list} gave. Throws `bad-bytes`. */
  addList(bytes: Uint8Array): void {
    for (let from: ListPlace | undefined = listStart; from !== undefined;)
      from = this.addPart(bytes, from)
  }

  /** Adds some thousand addresses of a list, which take a millisecond. Returns where the next ones begin. */
  addPart(bytes: Uint8Array, from: ListPlace): ListPlace | undefined {
    let { at, id } = from
    const read = (): number => {
      let value = 0
      for (let scale = 1; ; scale *= 128) {
        if (at === bytes.length) throw new Fault('bad-bytes', 'a list of counts ends inside')
        const byte = u8At(bytes, at++)
        value += (byte % 128) * scale
        if (byte < 128) return value
      }
    }
    for (let added = 0; at < bytes.length; added++) {
      if (added === partSize) return { at, id }
      id += read()
      this.add(id, read(), read())
    }
    return undefined
  }

  /** Of each address in order of its number: the difference to the number before, transactions, gas. */
  list(): Uint8Array {
    const ids = Float64Array.from({ length: this.size }, (_, place) => this.#idAt(place)).sort()
    const { key } = this.#places
    const numbers = new Float64Array(ids.length * 3)
    let previous = 0
    for (let at = 0; at < ids.length; at++) {
      const id = f64At(ids, at)
      key[0] = id % wordSize
      key[1] = Math.floor(id / wordSize)
      const place = this.#places.find(2)
      numbers[at * 3] = id - previous
      numbers[at * 3 + 1] = this.#txs.at(place)
      numbers[at * 3 + 2] = this.#gas.at(place)
      previous = id
    }
    return encodeNumbers(numbers)
  }

  /** Calls `visit` for each address. */
  visit(visit: (id: number, txs: number, gas: number) => void): void {
    for (let place = 0; place < this.size; place++)
      visit(this.#idAt(place), this.#txs.at(place), this.#gas.at(place))
  }

  #idAt(place: number): number {
    const { words } = this.#places
    return u32At(words, place * 2) + u32At(words, place * 2 + 1) * wordSize
  }
}
