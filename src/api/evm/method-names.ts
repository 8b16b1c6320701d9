/**
 * Signatures of methods by selector.
 *
 * Selectors are 32 bits, so that two signatures may share one: the bundled list wins over an
 * operator's, that over verified contracts', and an earlier entry over a later one.
 */

import { Fault } from '../../core/fault.ts'
import { keccak256 } from '../../core/hash.ts'
import { knownMethods } from './known-methods.ts'

/** Signature with types of a selector (first four bytes of the input as an integer). */
export type MethodName = (selector: number) => string | undefined

/** Names for some selectors. Asks no node. */
export type MethodNames = (selectors: readonly number[]) => Promise<MethodName>

// A dump of every public signature has about a million lines.
const maxSignatures = 2_000_000

/**
 * Names from the bundled list, from further `signatures`, for instance `transfer(address,uint256)`, and of
 * selectors that are in neither what `verified` finds.
 */
export function createMethodNames(
  signatures: Iterable<string> = [],
  verified?: (selectors: readonly number[]) => Promise<ReadonlyMap<number, string>>,
): MethodNames {
  const names = new Map<number, string>()
  for (const signature of knownMethods) add(names, signature)
  for (const signature of signatures) {
    if (names.size >= maxSignatures)
      throw new Fault('bad-config', `too many method signatures: more than ${maxSignatures}`)
    add(names, signature)
  }
  return async (selectors) => {
    const others = [...new Set(selectors)].filter((selector) => !names.has(selector))
    const found = others.length === 0 ? undefined : await verified?.(others)
    return (selector) => names.get(selector) ?? found?.get(selector)
  }
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
