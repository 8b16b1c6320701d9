/** Transactions and gas by address, in memory and in few bytes: seven or so an address. */

import { Fault } from '../core/fault.ts'
import { f64At, itemAt } from '../core/item-at.ts'
import { encodeNumbers, visitNumbers } from './member-list.ts'

/** Counts by the number of the address, of any span of time. */
export class ActivityCounts {
  readonly #places = new Map<number, number>()
  readonly #txs: number[] = []
  readonly #gas: number[] = []

  /** Number of addresses. */
  get size(): number {
    return this.#txs.length
  }

  /** Adds `txs` transactions of `id`, which used `gas` together. */
  add(id: number, txs: number, gas: number): void {
    const place = this.#places.get(id)
    if (place === undefined) {
      this.#places.set(id, this.#txs.length)
      this.#txs.push(txs)
      this.#gas.push(gas)
      return
    }
    this.#txs[place] = itemAt(this.#txs, place) + txs
    this.#gas[place] = itemAt(this.#gas, place) + gas
  }

  /** Adds what {@link list} gave. Throws `bad-bytes`. */
  addList(bytes: Uint8Array): void {
    let part = 0
    let id = 0
    let txs = 0
    visitNumbers(bytes, (number) => {
      if (part === 0) id += number
      else if (part === 1) txs = number
      else this.add(id, txs, number)
      part = (part + 1) % 3
    })
    if (part !== 0) throw new Fault('bad-bytes', 'a list of counts ends inside of an address')
  }

  /** Of each address in order of its number: the difference to the number before, transactions, gas. */
  list(): Uint8Array {
    const ids = Float64Array.from(this.#places.keys()).sort()
    const numbers = new Float64Array(ids.length * 3)
    let previous = 0
    for (let at = 0; at < ids.length; at++) {
      const id = f64At(ids, at)
      const place = this.#places.get(id) ?? 0
      numbers[at * 3] = id - previous
      numbers[at * 3 + 1] = itemAt(this.#txs, place)
      numbers[at * 3 + 2] = itemAt(this.#gas, place)
      previous = id
    }
    return encodeNumbers(numbers)
  }

  /** Calls `visit` for each address. */
  visit(visit: (id: number, txs: number, gas: number) => void): void {
    for (const [id, place] of this.#places)
      visit(id, itemAt(this.#txs, place), itemAt(this.#gas, place))
  }
}
