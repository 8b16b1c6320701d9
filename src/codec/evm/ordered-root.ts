/**
 * Root of the trie that holds a list by index, as headers have of transactions and receipts.
 *
 * Source: libevm core/types/hashing.go DeriveSha, trie/stacktrie.go; yellow paper, appendix D.
 */

import { keccak256 } from '../../core/hash.ts'
import { encodeRlp, passingRlp, passingRlpList } from './rlp.ts'

type Entry = { readonly path: Uint8Array; readonly value: Uint8Array }

/** Root over `values` under the keys RLP(0), RLP(1), …; 32 bytes. */
export function orderedRoot(values: readonly Uint8Array[]): Uint8Array {
  if (values.length === 0) return keccak256(encodeRlp(new Uint8Array()))
  const entries = values
    .map((value, index) => ({ path: nibbles(encodeRlp(indexBytes(index))), value }))
    .toSorted((a, b) => comparePaths(a.path, b.path))
  return keccak256(node(entries, 0))
}

/**
 * RLP of the node that holds `entries`, which share the first `depth` nibbles. Its memory is used
 * again for the next node.
 */
function node(entries: readonly Entry[], depth: number): Uint8Array {
  const first = entries[0]
  const last = entries.at(-1)
  if (first === undefined || last === undefined) return noChild
  if (entries.length === 1)
    return passingRlp([compact(first.path.subarray(depth), true), first.value])
  const shared = sharedUntil(first.path, last.path, depth)
  if (shared > depth)
    return passingRlpList([
      encodeRlp(compact(first.path.subarray(depth, shared), false)),
      reference(node(entries, shared)),
    ])
  const children: Uint8Array[] = []
  let from = 0
  for (let nibble = 0; nibble < 16; nibble++) {
    let until = from
    while (until < entries.length && entries[until]?.path[depth] === nibble) until++
    const own = entries.slice(from, until)
    children.push(own.length === 0 ? noChild : reference(node(own, depth + 1)))
    from = until
  }
  // RLP of one index is never the beginning of another's, so that no branch has a value.
  children.push(noChild)
  return passingRlpList(children)
}

/** What a branch holds where it has nothing. */
const noChild = encodeRlp(new Uint8Array())

/** Short nodes lie in their parent, others are named by their hash. */
function reference(encoded: Uint8Array): Uint8Array {
  return encoded.length < 32 ? encoded.slice() : encodeRlp(keccak256(encoded))
}

/** Nibbles as bytes, with a flag for odd length and for leaves in front. */
function compact(path: Uint8Array, leaf: boolean): Uint8Array {
  const odd = path.length % 2
  const out = new Uint8Array((path.length >>> 1) + 1)
  out[0] = (leaf ? 0x20 : 0) + (odd === 1 ? 0x10 + (path[0] ?? 0) : 0)
  for (let at = odd; at < path.length; at += 2)
    out[(at + odd) / 2 + (odd === 1 ? 0 : 1)] = (path[at] ?? 0) * 16 + (path[at + 1] ?? 0)
  return out
}

function indexBytes(index: number): Uint8Array {
  if (index === 0) return new Uint8Array()
  return index < 0x100 ? Uint8Array.of(index) : Uint8Array.of(index >>> 8, index)
}

function nibbles(bytes: Uint8Array): Uint8Array {
  const path = new Uint8Array(bytes.length * 2)
  for (let at = 0; at < bytes.length; at++) {
    path[at * 2] = (bytes[at] ?? 0) >>> 4
    path[at * 2 + 1] = (bytes[at] ?? 0) & 15
  }
  return path
}

function comparePaths(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++)
    if (a[at] !== b[at]) return (a[at] ?? 0) - (b[at] ?? 0)
  return a.length - b.length
}

function sharedUntil(a: Uint8Array, b: Uint8Array, from: number): number {
  let at = from
  while (at < a.length && at < b.length && a[at] === b[at]) at++
  return at
}
