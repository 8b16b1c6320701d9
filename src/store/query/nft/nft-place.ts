/** Token ids as the tables have them: 32 bytes, big-endian, so that bytes order as ids do. */

import { fromBigint, toBigint } from '../../../core/bytes.ts'

/** The highest token id. */
export const maxItem = 2n ** 256n - 1n

/** Where a list of tokens over contracts begins, inclusive: a contract's number and a token id. */
export type NftPlace = { readonly contractId: number; readonly item: bigint }

/** 32 bytes of a token id of 0 to {@link maxItem}. */
export function itemBytes(item: bigint): Uint8Array {
  return fromBigint(item, 32)
}

/** The token id of 32 bytes. */
export function itemOf(bytes: Uint8Array): bigint {
  return toBigint(bytes)
}
