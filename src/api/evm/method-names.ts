/**
 * Signatures of methods by selector.
 *
 * Selectors are 32 bits, so that two signatures may share one: the bundled list wins over an
 * operator's, and an earlier entry over a later one.
 */

import { Fault } from '../../core/fault.ts'
import { keccak256 } from '../../core/hash.ts'
import { knownMethods } from './known-methods.ts'

/** Signature with types of a selector (first four bytes of the input as an integer). */
export type MethodNames = (selector: number) => string | undefined

// A dump of every public signature has about a million lines.
const maxSignatures = 2_000_000

/**
 * Names from the bundled list and further `signatures`, for instance `transfer(address,uint256)`.
 */
export function createMethodNames(signatures: Iterable<string> = []): MethodNames {
  const names = new Map<number, string>()
  for (const signature of knownMethods) add(names, signature)
  for (const signature of signatures) {
    if (names.size >= maxSignatures)
      throw new Fault('bad-config', `too many method signatures: more than ${maxSignatures}`)
    add(names, signature)
  }
  return (selector) => names.get(selector)
}

/** Selector of a signature: first four bytes of its keccak-256, as an integer. */
export function selectorOf(signature: string): number {
  const sum = keccak256(new TextEncoder().encode(signature))
  return new DataView(sum.buffer, sum.byteOffset).getUint32(0)
}

function add(names: Map<number, string>, signature: string): void {
  const selector = selectorOf(signature)
  if (!names.has(selector)) names.set(selector, signature)
}
