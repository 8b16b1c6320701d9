/** Questions to contracts that this form asks, in ABI encoding. */

import { concatBytes, fromHex, toBigint } from '../../core/bytes.ts'

/** `totalSupply()`. */
export const totalSupplyCall = fromHex('18160ddd')

/** `balanceOf(address)`. */
export function balanceOfCall(holder: Uint8Array): Uint8Array {
  return concatBytes(fromHex('70a08231'), new Uint8Array(12), holder)
}

/** The number of an answer; `undefined` where it reverted or is none. */
export function uintAt(told: Uint8Array | undefined): bigint | undefined {
  return told === undefined || told.length < 32 ? undefined : toBigint(told.subarray(0, 32))
}
