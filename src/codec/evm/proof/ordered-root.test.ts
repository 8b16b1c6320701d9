import assert from 'node:assert/strict'
import { test } from 'node:test'

import { keccak_256 } from '@noble/hashes/sha3.js'

import { orderedRoot } from '../../../../test/support/chains/ordered-root.ts'
import { concatBytes, toHex } from '../../../core/bytes.ts'
import { encodeRlp, type Rlp } from './rlp.ts'

/** A second opinion: the trie as the yellow paper defines it, over a map from paths to values. */
function rootByDefinition(values: readonly Uint8Array[]): string {
  const entries = values.map((value, index) => {
    const key = encodeRlp(index === 0 ? '0x' : `0x${evenHex(index)}`)
    return [toHex(key), value] as const
  })
  return toHex(keccak_256(entries.length === 0 ? Uint8Array.of(0x80) : nodeOf(entries)))
}

function nodeOf(entries: readonly (readonly [path: string, value: Uint8Array])[]): Uint8Array {
  const [[first, value] = ['', new Uint8Array()]] = entries
  if (entries.length === 1) return encodeRlp([packed(first, 2), value])
  let shared = 0
  while (entries.every(([path]) => path[shared] === first[shared])) shared++
  if (shared > 0) {
    const below = nodeOf(entries.map(([path, own]) => [path.slice(shared), own]))
    return listOf([encodeRlp(packed(first.slice(0, shared), 0)), reference(below)])
  }
  const children = Array.from({ length: 16 }, (_, value) => {
    const nibble = value.toString(16)
    const own = entries.filter(([path]) => path[0] === nibble)
    return own.length === 0
      ? Uint8Array.of(0x80)
      : reference(nodeOf(own.map(([path, each]) => [path.slice(1), each])))
  })
  return listOf([...children, Uint8Array.of(0x80)])
}

function packed(path: string, flag: number): Rlp {
  return `0x${path.length % 2 === 0 ? `${flag}0` : flag + 1}${path}`
}

function reference(node: Uint8Array): Uint8Array {
  return node.length < 32 ? node : encodeRlp(keccak_256(node))
}

/** A list of items that are encoded already. */
function listOf(items: readonly Uint8Array[]): Uint8Array {
  const content = concatBytes(...items)
  const asString = encodeRlp(content)
  const head = asString.slice(0, asString.length - content.length)
  head[0] = (head[0] ?? 0) + 0x40
  return concatBytes(head, content)
}

function evenHex(value: number): string {
  const text = value.toString(16)
  return text.length % 2 === 0 ? text : `0${text}`
}

void test('ordered root: lists of every shape have the root of the definition', () => {
  const counts = [0, 1, 2, 16, 17, 40, 127, 128, 129, 130, 145, 256, 257, 273]
  for (const count of counts)
    for (const size of [2, 29, 30, 31, 56, 300]) {
      const values = Array.from({ length: count }, (_, index) =>
        Uint8Array.from({ length: size }, (__, at) => (index * 3 + at + 1) | 1),
      )
      assert.equal(toHex(orderedRoot(values)), rootByDefinition(values), `${count} of ${size}`)
    }
})
