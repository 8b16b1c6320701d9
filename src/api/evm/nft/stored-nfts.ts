/** Details of NFTs as the stores of the chains have them. */

import { type NftFields, nftStatuses, type NftStatus } from '../../../core/nft-status.ts'
import type { Erc1155Metadata, Erc721Metadata, Erc721Token } from '../../../shape/evm/nft-token.ts'
import {
  type MetadataRow,
  metadataOfTokens,
  ownersOfTokens,
} from '../../../store/query/nft/nft-details.ts'
import type { NftPlace } from '../../../store/query/nft/nft-place.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import type { RichAddressBooks } from '../rich-addresses.ts'
import type { NftItem, NftSource } from '../tokens/token-views.ts'

/** Reads what indexing found out. */
export function storedNfts(addressBooks: RichAddressBooks): NftSource {
  return {
    erc721: async (chain, items) => {
      const places = items.map(placeOf)
      const [metadata, owners] = await Promise.all([
        metadataOfTokens(chain.store, 721, places),
        ownersOf(addressBooks, chain, places),
      ])
      return places.map((_, at) => ({ ...erc721Details(metadata[at]), ...owners[at] }))
    },
    erc1155: async (chain, items) => {
      const rows = await metadataOfTokens(chain.store, 1155, items.map(placeOf))
      return rows.map(erc1155Details)
    },
  }
}

function placeOf({ contractId, item }: NftItem): NftPlace {
  return { contractId, item: item.length > 2 ? BigInt(item) : 0n }
}

/** Owners; `undefined` of what is burned or unknown. */
async function ownersOf(
  addressBooks: RichAddressBooks,
  chain: ServedChain,
  places: readonly NftPlace[],
): Promise<(Pick<Erc721Token, 'ownerAddress' | 'ownerLabel'> | undefined)[]> {
  const owners = await ownersOfTokens(chain.store, places)
  const ids = owners.flatMap(({ ownerId }) => ownerId ?? [])
  const named = await addressBooks(chain).load(ids)
  return owners.map(({ ownerId }) => {
    if (ownerId === undefined) return undefined
    const { address, label } = named(ownerId).rich
    return { ownerAddress: address, ownerLabel: label }
  })
}

function erc721Details(row: MetadataRow | undefined): {
  tokenUri: string
  metadata: Erc721Metadata
} {
  if (row === undefined) return { tokenUri: '', metadata: { indexStatus: 'UNINDEXED' } }
  const { decimals: _decimals, properties: _properties, ...fields } = fieldsOf(row)
  return { tokenUri: row.uri, metadata: { ...about(row), ...fields } }
}

function erc1155Details(row: MetadataRow | undefined): {
  tokenUri: string
  metadata: Erc1155Metadata
} {
  if (row === undefined) return { tokenUri: '', metadata: { indexStatus: 'UNINDEXED' } }
  const { attributes: _attributes, ...fields } = fieldsOf(row)
  return { tokenUri: row.uri, metadata: { ...about(row), ...fields } }
}

function about({ status, updated }: MetadataRow): {
  indexStatus: NftStatus
  metadataLastUpdatedTimestamp: number
} {
  return { indexStatus: nftStatuses[status] ?? 'UNKNOWN', metadataLastUpdatedTimestamp: updated }
}

function fieldsOf({ fields }: MetadataRow): NftFields {
  if (fields === '') return {}
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written from NftFields
  return JSON.parse(fields) as NftFields
}
