/** NFTs an address holds, page by page. */

import { struct } from '../../../codec/kit.ts'
import { f64, fixed, u8 } from '../../../codec/primitives.ts'
import { parseEvmAddress } from '../../../core/address.ts'
import { addressId } from '../../../store/query/evm/addresses.ts'
import { type AmountRow, amountsOfOwner } from '../../../store/query/nft/amounts-of-owner.ts'
import { type NftPlace, itemBytes, itemOf, maxItem } from '../../../store/query/nft/nft-place.ts'
import { tokensOfOwner } from '../../../store/query/nft/tokens-of-owner.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { cursorOf } from '../../operation/paging.ts'

/** The contracts wanted: `undefined` when a caller names one the chain has never shown. */
export type ContractFilter = { readonly from: number; readonly until: number } | undefined

/** Contracts of parameter `contractAddress`, all of them without it. */
export async function contractFilter(
  chain: ServedChain,
  contractAddress: string | undefined,
): Promise<ContractFilter> {
  if (contractAddress === undefined) return { from: 0, until: Number.MAX_SAFE_INTEGER }
  const id = await addressId(chain.store, parseEvmAddress(contractAddress))
  return id === undefined ? undefined : { from: id, until: id }
}

/** Parameters of a list of one address. */
export type HeldQuery = {
  /** `undefined` for an address the chain has never shown. */
  readonly ownerId: number | undefined
  readonly contracts: ContractFilter
  /** Tokens after this one only. */
  readonly after: NftPlace | undefined
  readonly limit: number
}

/** ERC-721 tokens an address owns. */
export async function heldErc721(chain: ServedChain, query: HeldQuery): Promise<NftPlace[]> {
  const { ownerId, contracts, after, limit } = query
  if (ownerId === undefined || contracts === undefined) return []
  return tokensOfOwner(chain.store, {
    ownerId,
    from: after === undefined ? { contractId: contracts.from, item: 0n } : placeAfter(after),
    untilContract: contracts.until,
    limit,
  })
}

// Token ids looked at for one list: who had that many and gave them away has short pages.
const maxLookedAt = 5_000
const chunkSize = 500

/**
 * ERC-1155 token ids that an address holds after block `height`. `last` is where the next page
 * starts when the search ended early; the rows are then those found so far.
 */
export async function heldErc1155(
  chain: ServedChain,
  query: HeldQuery & { readonly height: number },
): Promise<{ readonly rows: readonly AmountRow[]; readonly last?: NftPlace }> {
  const { ownerId, contracts, limit, height } = query
  if (ownerId === undefined || contracts === undefined) return { rows: [] }
  const rows: AmountRow[] = []
  let after = query.after
  for (let lookedAt = 0; lookedAt < maxLookedAt; lookedAt += chunkSize) {
    const found = await amountsOfOwner(chain.store, {
      ownerId,
      from: after === undefined ? { contractId: contracts.from, item: 0n } : placeAfter(after),
      untilContract: contracts.until,
      limit: chunkSize,
      height,
    })
    for (const row of found) if (row.amount > 0n && rows.length < limit) rows.push(row)
    after = found.at(-1)
    if (rows.length >= limit || found.length < chunkSize) return { rows }
  }
  return after === undefined ? { rows } : { rows, last: after }
}

// Where pages of NFT lists go on.

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
function placeAfter({ contractId, item }: NftPlace): NftPlace {
  return item === maxItem
    ? { contractId: contractId + 1, item: 0n }
    : { contractId, item: item + 1n }
}
