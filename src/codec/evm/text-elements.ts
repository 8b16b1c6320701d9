/**
 * Objects in the text of a reply, read as the places of their values: no object, no string.
 *
 * Nodes write the keys of one kind of object in one order, which is learnt from the object before;
 * each key is compared whole. What is not plainly JSON of flat objects of texts throws
 * {@link notPlain}.
 */

import { i32At, u8At } from '../../core/item-at.ts'
import { notPlain, type TextMemory } from './text-memory.ts'

/** Place of a value that is not there. */
export const absent = -1
/** Place of `null`. */
export const isNull = -2

const [quote, comma, close, openList, closeList, backslash] = [34, 44, 125, 91, 93, 92]
/** Four bytes of text as an integer. */
const [nullWord, trueWord, falsWord] = [0x6e75_6c6c, 0x7472_7565, 0x6661_6c73]

/** Keys that are read of one kind of object, in the order of their slots, and how they come. */
export class ElementKind {
  /** Slots of one object: two for each of `names`, where its value begins and ends. */
  readonly width: number
  readonly #slots: ReadonlyMap<string, number>
  readonly #literals = new Uint8Array(4_096)
  readonly #view = new DataView(this.#literals.buffer)
  /** Of the key at each place: where its text lies, its length, its slot or -1, its value's size. */
  readonly #from = new Int32Array(64)
  readonly #length = new Int32Array(64)
  readonly #slot = new Int32Array(64)
  readonly #size = new Int32Array(64)
  /** Where the value of the object before begins. */
  readonly #before = new Int32Array(64)
  #count = 0
  /** Reads lists under these slots. */
  readonly #lists: ReadonlyMap<number, (at: number) => number>

  constructor(names: readonly string[], lists: readonly (readonly [string, ReadList])[] = []) {
    this.width = names.length * 2
    this.#slots = new Map(names.map((name, at) => [name, at * 2]))
    this.#lists = new Map(lists.map(([name, read]) => [names.indexOf(name) * 2, read]))
  }

  /** Forgets the objects before: another text lies in the memory. */
  begin(): void {
    this.#before.fill(0)
  }

  /** Reads the object at `from` into `slots` from `base` on. Returns where it ends. */
  read(memory: TextMemory, from: number, slots: Int32Array, base: number): number {
    for (let slot = 0; slot < this.width; slot++) slots[base + slot] = absent
    const { view } = memory
    if (view.getUint8(from) !== 123) throw notPlain
    let at = from
    for (let key = 0; ; key++) {
      if (key >= this.#count || !this.#isKey(view, at, key)) this.#learn(memory, at, key)
      at += i32At(this.#length, key)
      const slot = i32At(this.#slot, key)
      const first = view.getUint8(at)
      if (first === quote) {
        const end = this.#stringEnd(memory, at + 1, key)
        if (slot >= 0) {
          slots[base + slot] = at + 1
          slots[base + slot + 1] = end
        }
        at = end + 1
      } else if (first === openList) {
        const end = this.#listEnd(view, at, slot)
        if (slot >= 0) {
          slots[base + slot] = at
          slots[base + slot + 1] = end
        }
        at = end
      } else {
        const end = constantEnd(view, at)
        if (slot >= 0) slots[base + slot] = end === at + 4 && first === 110 ? isNull : -3
        at = end
      }
      const next = view.getUint8(at)
      if (next === close) return at + 1
      if (next !== comma) throw notPlain
    }
  }

  #listEnd(view: DataView, at: number, slot: number): number {
    const read = this.#lists.get(slot)
    if (read !== undefined) return read(at)
    if (view.getUint8(at + 1) !== closeList) throw notPlain
    return at + 2
  }

  /** Where the string that begins at `from` ends. */
  #stringEnd(memory: TextMemory, from: number, key: number): number {
    const { view } = memory
    const guess = from + i32At(this.#size, key)
    const before = i32At(this.#before, key)
    this.#before[key] = from
    if (view.getUint8(guess) === quote) {
      if (i32At(this.#slot, key) < 0 && before > 0 && memory.same(from, before, guess - from))
        return guess
      if (memory.isLongHex(from, guess)) return guess
    }
    let end = from
    for (;;) {
      const code = view.getUint8(end)
      if (code === quote) break
      if (code === backslash || code < 32 || code > 126) throw notPlain
      end++
    }
    this.#size[key] = end - from
    return end
  }

  #isKey(view: DataView, at: number, key: number): boolean {
    const own = this.#view
    const from = i32At(this.#from, key)
    const length = i32At(this.#length, key)
    let next = 0
    for (; next + 4 <= length; next += 4)
      if (view.getInt32(at + next) !== own.getInt32(from + next)) return false
    return view.getInt32(at + length - 4) === own.getInt32(from + length - 4)
  }

  /** Learns which key stands at `at`, a brace or a comma, as the one at place `key`. */
  #learn({ view }: TextMemory, at: number, key: number): void {
    const first = key === 0 ? 123 : comma
    if (key === 60 || view.getUint8(at) !== first || view.getUint8(at + 1) !== quote) throw notPlain
    let name = ''
    let next = at + 2
    for (; view.getUint8(next) !== quote; next++) {
      const code = view.getUint8(next)
      if (code === backslash || code < 32 || code > 126 || name.length > 40) throw notPlain
      name += String.fromCharCode(code)
    }
    if (view.getUint8(next + 1) !== 58) throw notPlain
    // Keys after this one are forgotten and learnt again: of two equal keys the last would count.
    this.#count = key + 1
    this.#from[key] = key * 64
    this.#length[key] = next + 2 - at
    this.#slot[key] = this.#slots.get(name) ?? -1
    this.#before[key] = 0
    for (let byte = 0; byte < next + 2 - at; byte++)
      this.#literals[key * 64 + byte] = view.getUint8(at + byte)
    for (let earlier = 0; earlier < key; earlier++) if (this.#isSame(earlier, key)) throw notPlain
  }

  /** Returns whether two places have the same key, whatever stands before it. */
  #isSame(one: number, other: number): boolean {
    const length = i32At(this.#length, one)
    if (length !== i32At(this.#length, other)) return false
    for (let at = 1; at < length; at++)
      if (u8At(this.#literals, one * 64 + at) !== u8At(this.#literals, other * 64 + at))
        return false
    return true
  }
}

type ReadList = (at: number) => number

/** Where `null`, `true` or `false` at `at` ends. */
function constantEnd(view: DataView, at: number): number {
  const word = view.getInt32(at)
  if (word === nullWord || word === trueWord) return at + 4
  if (word === falsWord && view.getUint8(at + 4) === 101) return at + 5
  throw notPlain
}
