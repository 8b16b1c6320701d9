/**
 * Root of the trie that holds a list by index, as headers have of transactions and receipts.
 *
 * Source: libevm core/types/hashing.go DeriveSha, trie/stacktrie.go; yellow paper, appendix D.
 */

import { fromHex } from '../../../core/bytes.ts'
import { u8At } from '../../../core/item-at.ts'
import { once } from '../../../core/waiting.ts'
import { headRoom, type RlpWriter } from './rlp-writer.ts'
import { headSize, encodeRlp } from './rlp.ts'

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
    for (const node of nodes) {
      const { number, children, path } = node
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
    const root = this.#references + (count + nodes.length - 1) * referenceBytes + 1
    return this.#writer.bytes.slice(root, root + 32)
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

// Shape of the trie over a list: its nodes and their contents depend on the number of
// items alone, for its keys are RLP(0), RLP(1), …
//
// Source: yellow paper, appendix D; libevm trie/stacktrie.go.

/** A node above leaves. Children are items by index, then nodes by `count` + their own number. */
type TrieNode = {
  readonly number: number
  /** Children by nibble, -1 for none; the only child of an extension lies first. */
  readonly children: Int32Array
  /** RLP of the path of an extension; undefined in a branch. */
  readonly path: Uint8Array | undefined
}

/** A trie over `count` items. */
type TrieShape = {
  readonly count: number
  /** RLP of the path that the leaf of each item has. */
  readonly leafPaths: readonly Uint8Array[]
  /** Nodes by their number: each after its children, the root last. */
  readonly nodes: readonly TrieNode[]
}

/** Shapes kept; blocks of a chain have a few hundred different counts. */
const maxKept = 512

/** Shapes of tries by the number of their items, which are made once. */
class TrieShapes {
  readonly #kept = new Map<number, TrieShape>()

  /** Shape of the trie over `count` items, at least one. */
  of(count: number): TrieShape {
    const known = this.#kept.get(count)
    if (known !== undefined) return known
    const shape = new Builder(count).shape()
    if (this.#kept.size >= maxKept) this.#kept.clear()
    this.#kept.set(count, shape)
    return shape
  }
}

type Key = { readonly index: number; readonly path: Uint8Array }

class Builder {
  readonly #count: number
  readonly #leafPaths: Uint8Array[] = []
  readonly #nodes: TrieNode[] = []

  constructor(count: number) {
    this.#count = count
  }

  shape(): TrieShape {
    const keys = Array.from({ length: this.#count }, (_, index) => ({
      index,
      path: nibbles(encodeRlp(indexBytes(index))),
    })).toSorted((a, b) => {
      for (let at = 0; at < Math.min(a.path.length, b.path.length); at++)
        if (a.path[at] !== b.path[at]) return u8At(a.path, at) - u8At(b.path, at)
      return a.path.length - b.path.length
    })
    this.#add(keys, 0)
    return { count: this.#count, leafPaths: this.#leafPaths, nodes: this.#nodes }
  }

  /** Adds the node above `keys`, which share the first `depth` nibbles; returns its child number. */
  #add(keys: readonly Key[], depth: number): number {
    const [first] = keys
    const last = keys.at(-1)
    if (first === undefined || last === undefined) return -1
    if (keys.length === 1) {
      this.#leafPaths[first.index] = encodeRlp(compact(first.path.subarray(depth), true))
      return first.index
    }
    const children = new Int32Array(16).fill(-1)
    let shared = depth
    while (
      shared < first.path.length &&
      shared < last.path.length &&
      first.path[shared] === last.path[shared]
    )
      shared++
    if (shared > depth) {
      children[0] = this.#add(keys, shared)
      const path = encodeRlp(compact(first.path.subarray(depth, shared), false))
      return this.#node(children, path)
    }
    for (let nibble = 0; nibble < 16; nibble++) {
      // RLP of one index is never the beginning of another's, so that no branch has a value.
      const own = keys.filter(({ path }) => path[depth] === nibble)
      children[nibble] = this.#add(own, depth + 1)
    }
    return this.#node(children, undefined)
  }

  #node(children: Int32Array, path: Uint8Array | undefined): number {
    const number = this.#nodes.length
    this.#nodes.push({ number, children, path })
    return this.#count + number
  }
}

/** Nibbles as bytes, with a flag for odd length and for leaves in front. */
function compact(path: Uint8Array, leaf: boolean): Uint8Array {
  const odd = path.length % 2
  const out = new Uint8Array((path.length >>> 1) + 1)
  out[0] = (leaf ? 0x20 : 0) + (odd === 1 ? 0x10 + u8At(path, 0) : 0)
  for (let at = odd; at < path.length; at += 2)
    out[(at + odd) / 2 + (odd === 1 ? 0 : 1)] = u8At(path, at) * 16 + u8At(path, at + 1)
  return out
}

function indexBytes(index: number): Uint8Array {
  if (index === 0) return new Uint8Array()
  if (index < 0x100) return Uint8Array.of(index)
  return index < 0x1_0000
    ? Uint8Array.of(index >>> 8, index)
    : Uint8Array.of(index >>> 16, index >>> 8, index)
}

function nibbles(bytes: Uint8Array): Uint8Array {
  const path = new Uint8Array(bytes.length * 2)
  for (let at = 0; at < bytes.length; at++) {
    path[at * 2] = u8At(bytes, at) >>> 4
    path[at * 2 + 1] = u8At(bytes, at) & 15
  }
  return path
}
