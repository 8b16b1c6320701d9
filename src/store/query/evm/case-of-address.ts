/**
 * The EIP-55 case of an address, stored beside it so that a page of addresses nobody asked
 * for yet is shown without hashing each.
 *
 * Forty bits of mask and twelve that follow from them: a value that a disk damaged is told from a
 * good one and computed anew, which is why the sums of the table leave it out.
 */

import { caseMask, halfMask } from '../../../core/address.ts'
import { toHex } from '../../../core/bytes.ts'

const maskRange = 2 ** 40

/** Stored cases of `addresses`, 20 bytes each, in their order. */
export function casesOf(addresses: readonly Uint8Array[]): Float64Array {
  return Float64Array.from(addresses, (address) => storedCase(caseMask(toHex(address))))
}

/** The stored form of a mask, below 2^52. */
export function storedCase(mask: number): number {
  return checkOf(mask) * maskRange + mask
}

/** The mask of a stored value; `undefined` where it is not one of ours. */
export function maskOfCase(stored: number): number | undefined {
  const mask = stored % maskRange
  return stored === storedCase(mask) ? mask : undefined
}

/** Twelve bits. */
function checkOf(mask: number): number {
  const high = Math.imul(Math.floor(mask / halfMask) + 1, 0x9e37_79b1)
  return Math.imul(high ^ (mask % halfMask), 0x85eb_ca6b) >>> 20
}
