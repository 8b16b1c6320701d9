/**
 * Root of the trie that holds a list by index, as headers have of transactions and receipts.
 *
 * Source: libevm core/types/hashing.go DeriveSha, trie/stacktrie.go; yellow paper, appendix D.
 */

import { fromHex } from '../../core/bytes.ts'
import { u8At } from '../../core/item-at.ts'
import { once } from '../../core/once.ts'
import { headSize } from './rlp-head.ts'
import { headRoom, threadWriter, type RlpWriter } from './rlp-writer.ts'
import { TrieShapes, type TrieNode, type TrieShape } from './trie-shape.ts'

/** Root of no items. Source: yellow paper, appendix D. */
const emptyRoot = fromHex('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')

/**
 * Reference of a trie node to another: its hash as a byte string, or the node itself when shorter.
 */
const referenceBytes = 33

/** Room in front of a value for its head, its path and the head of its leaf. */
const leafRoom = 2 * headRoom + 8

/** This thread's shapes of tries, which all chains have alike. */
const threadShapes = once(() => new TrieShapes())

/** Root over `values` under the keys RLP(0), RLP(1), …; 32 bytes. */
export function orderedRoot(values: readonly Uint8Array[]): Uint8Array {
  const writer = threadWriter()
  const list = new OrderedList(writer, values.length)
  for (const value of values) {
    const from = list.begin()
    writer.raw(value)
    list.end(from)
  }
  return list.root()
}

/** A list whose items are written one after the other. */
export class OrderedList {
  readonly #writer: RlpWriter
  readonly #shape: TrieShape | undefined
  /** Where references lie: of items by index, then of nodes. */
  readonly #references: number
  readonly #sizes: Uint8Array
  #next = 0

  /** A list of `count` items, no more and no fewer. */
  constructor(writer: RlpWriter, count: number) {
    this.#writer = writer
    this.#shape = count === 0 ? undefined : threadShapes().of(count)
    const slots = count + (this.#shape?.nodes.length ?? 0)
    this.#references = writer.skip(slots * referenceBytes)
    this.#sizes = new Uint8Array(slots)
  }

  /** Where the next item begins: it is written there by the writer. */
  begin(): number {
    this.#writer.skip(leafRoom)
    return this.#writer.at
  }

  /**
   * The item `[from, …)` is written; a `from` before what `begin` gave is fine, within `headRoom`.
   */
  end(from: number): void {
    const index = this.#next++
    const path = this.#shape?.leafPaths[index]
    if (path === undefined) throw new RangeError('more items than the list has')
    // Items are longer than a byte, so that their head is never left out.
    const value = this.#writer.headBefore(from, 0x80)
    this.#writer.bytes.set(path, value - path.length)
    this.#refer(index, this.#writer.headBefore(value - path.length, 0xc0))
  }

  /** Root over all items; 32 bytes. */
  root(): Uint8Array {
    if (this.#shape === undefined) return emptyRoot
    const { nodes, count } = this.#shape
    for (const node of nodes) this.#write(node)
    const root = this.#references + (count + nodes.length - 1) * referenceBytes + 1
    return this.#writer.bytes.slice(root, root + 32)
  }

  #write({ number, children, path }: TrieNode): void {
    const writer = this.#writer
    let size = path === undefined ? 1 : path.length
    for (const child of children)
      size += child === -1 ? (path === undefined ? 1 : 0) : u8At(this.#sizes, child)
    const from = writer.at
    writer.reserve(from + headSize(size) + size)
    writer.head(size, 0xc0)
    if (path !== undefined) writer.raw(path)
    for (const child of children) {
      if (child !== -1) {
        const reference = this.#references + child * referenceBytes
        const { bytes } = writer
        bytes.copyWithin(writer.at, reference, reference + u8At(this.#sizes, child))
        writer.at += u8At(this.#sizes, child)
      } else if (path === undefined) writer.byte(0x80)
    }
    if (path === undefined) writer.byte(0x80)
    this.#refer(this.#sizes.length - (this.#shape?.nodes.length ?? 0) + number, from)
  }

  /** Makes the reference to the node `[from, …)`: the root is always named by its hash. */
  #refer(slot: number, from: number): void {
    const { bytes, at } = this.#writer
    const to = this.#references + slot * referenceBytes
    const size = at - from
    if (size < 32 && slot !== this.#sizes.length - 1) {
      bytes.copyWithin(to, from, at)
      this.#sizes[slot] = size
      return
    }
    bytes[to] = 0xa0
    this.#sizes[slot] = referenceBytes
    this.#writer.hash(from, to + 1)
  }
}
