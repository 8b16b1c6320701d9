/**
 * Distinct addresses of a batch, numbered from 0 in order of first sight.
 *
 * The five words of an address are read straight from hex digits: no string is made or hashed, letter
 * case does not matter, and the low 20 bytes of a topic need no copy.
 */

import { FlatTable } from '../../../core/flat-table.ts'
import { u32At } from '../../../core/item-at.ts'
import { hexText, hexWord, notHex } from '../hex.ts'

/** Words of an address. */
const addressWords = 5

/** Numbers of addresses. Lives for one batch. */
export class AddressBook {
  readonly #table: FlatTable

  constructor(capacity: number) {
    this.#table = new FlatTable(addressWords, capacity)
  }

  /** Number of the address `0x` + 40 digits. */
  idOf(value: unknown, what: string): number {
    const text = hexText(value, what)
    if (text.length !== 42) throw notHex(value, what)
    return this.idAt(text, 2)
  }

  /** Number of the address in the 40 digits of `text` from `at`. */
  idAt(text: string, at: number): number {
    const { key } = this.#table
    for (let word = 0; word < addressWords; word++) key[word] = hexWord(text, at + word * 8)
    return this.#table.entryOf(addressWords)
  }

  /** Number of the address in the 20 bytes of `view` from `at`. */
  idOfBytes(view: DataView, at: number): number {
    const { key } = this.#table
    for (let word = 0; word < addressWords; word++) key[word] = view.getUint32(at + word * 4)
    return this.#table.entryOf(addressWords)
  }

  /** Numbers here of the addresses another book gave as bytes, in its order. */
  join(addresses: Uint8Array): Uint32Array {
    const view = new DataView(addresses.buffer, addresses.byteOffset, addresses.byteLength)
    const ids = new Uint32Array(addresses.length / 20)
    for (let id = 0, at = 0; id < ids.length; id++, at += 20) ids[id] = this.idOfBytes(view, at)
    return ids
  }

  /** 20 bytes each, in order of number. */
  taken(): Uint8Array<ArrayBuffer> {
    const { words } = this.#table
    const bytes = new Uint8Array(words.length * 4)
    for (let at = 0; at < words.length; at++) {
      const word = u32At(words, at)
      bytes[at * 4] = word >>> 24
      bytes[at * 4 + 1] = word >>> 16
      bytes[at * 4 + 2] = word >>> 8
      bytes[at * 4 + 3] = word
    }
    return bytes
  }
}
