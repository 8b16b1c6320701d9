/** Where proxies say what they hand calls on to. Source: ERC-1967, ERC-1822, ERC-2535. */

import { fromHex, toHex } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'

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

/** Calls: to a beacon, and to a diamond. */
export const proxyCalls = {
  implementation: hashOf('implementation()').subarray(0, 4),
  facets: hashOf('facetAddresses()').subarray(0, 4),
} as const
