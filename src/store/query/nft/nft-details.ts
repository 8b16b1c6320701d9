/** Owners and metadata of given tokens. */

import { compareBytes } from '../../../core/bytes.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { nftMetadata, nftToken } from '../../schema/nft.ts'
import { itemBytes, type NftPlace } from './nft-place.ts'

/** Metadata as it is stored. */
export type MetadataRow = {
  readonly uri: string
  /** Place in the list of states. */
  readonly status: number
  /** Unix seconds of the last attempt. */
  readonly updated: number
  /** JSON text of the fields. */
  readonly fields: string
}

const anyRange = statement('select 1 from nft_range where contract_id = ? limit 1')
const rangeAround = statement(
  `select last_item, owner_id, at from nft_range
   where contract_id = ? and first_item <= ? order by first_item desc limit 1`,
)

/** The owner of a token; `known` is false when no log ever named the token. */
export type OwnerRow = { readonly known: boolean; readonly ownerId: number | undefined }

/**
 * Owners of ERC-721 tokens, in the order given.
 *
 * Cost: one look-up by key per token, one per contract, and one per token of contracts that gave
 * away ranges.
 */
export async function ownersOfTokens(
  store: Reader,
  places: readonly NftPlace[],
): Promise<OwnerRow[]> {
  const keys = keysOf(places, 721)
  const rows = await store.lookup(
    { table: nftToken, key: ['contract_id', 'standard', 'item'], select: ['owner_id', 'at'] },
    keys,
  )
  const ranged = new Set<number>()
  for (const contractId of new Set(places.map((place) => place.contractId)))
    if ((await store.get(anyRange, [contractId])) !== undefined) ranged.add(contractId)
  const owners: OwnerRow[] = []
  for (const [at, place] of places.entries()) {
    const row = rows[at]
    const own = row === undefined ? undefined : { at: row[1], ownerId: row[0] }
    const range = ranged.has(place.contractId) ? await covering(store, place) : undefined
    if (range !== undefined && (own === undefined || own.at < range.at))
      owners.push({ known: true, ownerId: range.ownerId })
    else
      owners.push({
        known: own !== undefined,
        ownerId: typeof own?.ownerId === 'number' ? own.ownerId : undefined,
      })
  }
  return owners
}

async function covering(
  store: Reader,
  { contractId, item }: NftPlace,
): Promise<{ at: number; ownerId: number | undefined } | undefined> {
  const bytes = itemBytes(item)
  const row = await store.get(rangeAround, [contractId, bytes])
  if (row === undefined || compareBytes(row[0], bytes) < 0) return undefined
  return { ownerId: row[1] ?? undefined, at: row[2] }
}

/** Returns whether a transfer of ERC-1155 ever named the token. Cost: one look-up by key. */
export async function isKnownErc1155(store: Reader, place: NftPlace): Promise<boolean> {
  const [row] = await store.lookup(
    { table: nftToken, key: ['contract_id', 'standard', 'item'], select: ['at'] },
    keysOf([place], 1155),
  )
  return row !== undefined
}

/** Metadata of tokens, in the order given; `undefined` where none was read yet. */
export async function metadataOfTokens(
  store: Reader,
  standard: 721 | 1155,
  places: readonly NftPlace[],
): Promise<(MetadataRow | undefined)[]> {
  const rows = await store.lookup(
    {
      table: nftMetadata,
      key: ['contract_id', 'standard', 'item'],
      select: ['uri', 'status', 'updated', 'fields'],
    },
    keysOf(places, standard),
  )
  return rows.map((row) =>
    row === undefined
      ? undefined
      : {
          uri: row[0] ?? '',
          status: row[1],
          updated: row[2],
          fields: row[3] ?? '',
        },
  )
}

function keysOf(
  places: readonly NftPlace[],
  standard: 721 | 1155,
): [number[], number[], Uint8Array[]] {
  return [
    places.map(({ contractId }) => contractId),
    places.map(() => standard),
    places.map(({ item }) => itemBytes(item)),
  ]
}
