/**
 * Distinct addresses of a batch, numbered from 0 in order of first sight.
 *
 * The five words of an address are read straight from hex digits: no string is made or hashed, letter
 * case does not matter, and the low 20 bytes of a topic need no copy.
 */

import { u32At } from '../../core/item-at.ts'
import { AddressTable } from './address-table.ts'
import { hexText, hexWord, notHex } from './hex.ts'

/** Numbers of addresses. Lives for one batch. */
export class AddressBook {
  readonly #table: AddressTable

  constructor(capacity: number) {
    this.#table = new AddressTable(capacity)
  }

  /** Number of the address `0x` + 40 digits. */
  idOf(value: unknown, what: string): number {
    const text = hexText(value, what)
    if (text.length !== 42) throw notHex(value, what)
    return this.idAt(text, 2)
  }

  /** Number of the address in the 40 digits of `text` from `at`. */
  idAt(text: string, at: number): number {
    return this.#table.entryOf(
      hexWord(text, at),
      hexWord(text, at + 8),
      hexWord(text, at + 16),
      hexWord(text, at + 24),
      hexWord(text, at + 32),
    )
  }

  /** Number of the address in the 20 bytes of `view` from `at`. */
  idOfBytes(view: DataView, at: number): number {
    return this.#table.entryOf(
      view.getUint32(at),
      view.getUint32(at + 4),
      view.getUint32(at + 8),
      view.getUint32(at + 12),
      view.getUint32(at + 16),
    )
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
