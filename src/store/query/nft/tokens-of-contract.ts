/** Token ids of an NFT contract. */

import { type Reader, statement } from '../../engine/database.ts'
import { itemBytes, itemOf } from './nft-place.ts'

/** One token id. `ownerId` is `undefined` when burned, and for ERC-1155. */
export type ContractToken = { readonly item: bigint; readonly ownerId: number | undefined }

const rowsFrom = statement(
  `select item, owner_id, at from nft_token
   where contract_id = ? and standard = ? and item >= ? order by item limit ?`,
)

// From the range that holds the first id wanted, or may.
const rangesFrom = statement(
  `select first_item, last_item, owner_id, at from nft_range
   where contract_id = ? and first_item >= coalesce((
     select b.first_item from nft_range b where b.contract_id = ? and b.first_item <= ?
     order by b.first_item desc limit 1), ?)
   order by first_item limit ?`,
)

/**
 * Token ids of a contract from `from` on, ascending, each once, those of ranges too.
 *
 * Cost: one range scan of the key of `nft_token` and one of `nft_range`, `limit` rows each.
 */
export async function tokensOfContract(
  store: Reader,
  query: {
    readonly contractId: number
    readonly standard: number
    /** First id wanted. */
    readonly from: bigint
    readonly limit: number
  },
): Promise<ContractToken[]> {
  const { contractId, standard, from, limit } = query
  const start = itemBytes(from)
  const rows = await store.all(rowsFrom, [contractId, standard, start, limit])
  const found = new Map<bigint, ContractToken & { readonly at: number }>()
  for (const row of rows) {
    const item = itemOf(row[0])
    found.set(item, { item, ownerId: row[1] ?? undefined, at: row[2] })
  }
  // Only tokens of ERC-721 are given in ranges.
  const ranges =
    standard === 721
      ? await store.all(rangesFrom, [contractId, contractId, start, start, limit + 1])
      : []
  for (const row of ranges) {
    const first = itemOf(row[0])
    const last = itemOf(row[1])
    const begin = first > from ? first : from
    const ownerId = row[2] ?? undefined
    const at = row[3]
    for (let item = begin; item <= last && item < begin + BigInt(limit); item++) {
      const own = found.get(item)
      if (own === undefined || own.at < at) found.set(item, { item, ownerId, at })
    }
  }
  const tokens = [...found.values()].sort((a, b) => (a.item < b.item ? -1 : 1))
  return tokens.slice(0, limit).map(({ item, ownerId }) => ({ item, ownerId }))
}
