/**
 * Lists of method signatures as text: the bundled `data/selectors.txt`, and the operator's file.
 *
 * One or more signatures a line; what follows a `#` is a comment. A dump of a public signature
 * collection may have the selector before the signature (`0xa9059cbb transfer(address,uint256)`):
 * it is recognised and not needed.
 */

import { fromHex, toHex } from '../../../core/bytes.ts'
import { keccak256 } from '../../../core/hash.ts'

/** A signature as Solidity canonicalises it: a name and types without spaces. */
const signatureForm = /^[A-Za-z_$][\w$]*\([\w$,()[\]]*\)$/

/** Longest signature taken. The longest of known contracts have some 600 characters. */
const maxLength = 2_000

/** Signatures of `text` in order; words that are none are left out. */
export function parseSignatures(text: string): string[] {
  const found: string[] = []
  for (const line of text.split('\n'))
    for (const word of (line.split('#', 1)[0] ?? '').split(/[\s;]+/))
      if (word.length <= maxLength && signatureForm.test(word)) found.push(word)
  return found
}

function hashOf(text: string): Uint8Array {
  return keccak256(new TextEncoder().encode(text))
}

/** The hash less one, so that no key of a mapping can have it. */
function slotOf(text: string): Uint8Array {
  return fromHex((BigInt(`0x${toHex(hashOf(text))}`) - 1n).toString(16).padStart(64, '0'))
}

/** Places in storage: of the implementation, of a beacon, of the implementation of ERC-1822. */
export const proxySlots: readonly Uint8Array[] = [
  slotOf('eip1967.proxy.implementation'),
  slotOf('eip1967.proxy.beacon'),
  hashOf('PROXIABLE'),
]

/** Place of the implementation in OpenZeppelin's proxies from before ERC-1967, which have it in their code. */
export const zeppelinSlot: Uint8Array = hashOf('org.zeppelinos.proxy.implementation')

/** Calls: to a beacon, and to a diamond. */
export const proxyCalls = {
  implementation: hashOf('implementation()').subarray(0, 4),
  facets: hashOf('facetAddresses()').subarray(0, 4),
} as const
