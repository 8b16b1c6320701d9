/**
 * Shape of the trie over a list: its nodes and their contents depend on the number of
 * items alone, for its keys are RLP(0), RLP(1), …
 *
 * Source: yellow paper, appendix D; libevm trie/stacktrie.go.
 */

import { u8At } from '../../core/item-at.ts'
import { encodeRlp } from './rlp.ts'

/** A node above leaves. Children are items by index, then nodes by `count` + their own number. */
export type TrieNode = {
  readonly number: number
  /** Children by nibble, -1 for none; the only child of an extension lies first. */
  readonly children: Int32Array
  /** RLP of the path of an extension; undefined in a branch. */
  readonly path: Uint8Array | undefined
}

/** A trie over `count` items. */
export type TrieShape = {
  readonly count: number
  /** RLP of the path that the leaf of each item has. */
  readonly leafPaths: readonly Uint8Array[]
  /** Nodes by their number: each after its children, the root last. */
  readonly nodes: readonly TrieNode[]
}

/** Shapes kept; blocks of a chain have a few hundred different counts. */
const maxKept = 512

/** Shapes of tries by the number of their items, which are made once. */
export class TrieShapes {
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
    })).toSorted((a, b) => comparePaths(a.path, b.path))
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
    const shared = sharedUntil(first.path, last.path, depth)
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

function comparePaths(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++)
    if (a[at] !== b[at]) return u8At(a, at) - u8At(b, at)
  return a.length - b.length
}

function sharedUntil(a: Uint8Array, b: Uint8Array, from: number): number {
  let at = from
  while (at < a.length && at < b.length && a[at] === b[at]) at++
  return at
}
