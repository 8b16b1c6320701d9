/** Where pages of NFT lists go on. */

import { struct } from '../../codec/kit.ts'
import { f64, fixed, u8 } from '../../codec/primitives.ts'
import { itemBytes, itemOf, maxItem, type NftPlace } from '../../store/query/nft/nft-place.ts'
import { cursorOf } from '../operation/paging.ts'

/** The last token of a page, and to which of two lists it belongs. */
export type NftCursor = NftPlace & { readonly standard: 721 | 1155 }

const placeCursor = cursorOf(struct({ list: u8, contractId: f64, item: fixed(32) }))

/** Bytes of a cursor. */
export function encodeNftCursor({ standard, contractId, item }: NftCursor): Uint8Array {
  return placeCursor.encode({ list: standard === 721 ? 0 : 1, contractId, item: itemBytes(item) })
}

/** The cursor of bytes that {@link encodeNftCursor} made. Throws `bad-page-token`. */
export function decodeNftCursor(bytes: Uint8Array): NftCursor {
  const { list, contractId, item } = placeCursor.decode(bytes)
  return { standard: list === 0 ? 721 : 1155, contractId, item: itemOf(item) }
}

/** The place right after another. */
export function placeAfter({ contractId, item }: NftPlace): NftPlace {
  return item === maxItem
    ? { contractId: contractId + 1, item: 0n }
    : { contractId, item: item + 1n }
}
