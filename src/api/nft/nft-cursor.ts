/** Where pages of NFT lists go on. */

import { concatBytes } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { itemBytes, itemOf, maxItem, type NftPlace } from '../../store/query/nft/nft-place.ts'
import { numberCursor } from '../paging.ts'

/** The last token of a page, and to which of two lists it belongs. */
export type NftCursor = NftPlace & { readonly standard: 721 | 1155 }

const cursorBytes = 41

/** Bytes of a cursor. */
export function encodeNftCursor({ standard, contractId, item }: NftCursor): Uint8Array {
  const list = Uint8Array.of(standard === 721 ? 0 : 1)
  return concatBytes(list, numberCursor.encode(contractId), itemBytes(item))
}

/** The cursor of bytes that {@link encodeNftCursor} made. Throws `bad-page-token`. */
export function decodeNftCursor(bytes: Uint8Array): NftCursor {
  if (bytes.length !== cursorBytes) throw new Fault('bad-page-token', 'pageToken is not valid here')
  return {
    standard: bytes[0] === 0 ? 721 : 1155,
    contractId: numberCursor.decode(bytes.subarray(1, 9)),
    item: itemOf(bytes.subarray(9)),
  }
}

/** The place right after another. */
export function placeAfter({ contractId, item }: NftPlace): NftPlace {
  return item === maxItem
    ? { contractId: contractId + 1, item: 0n }
    : { contractId, item: item + 1n }
}
