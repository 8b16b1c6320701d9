/** ERC-721 tokens of an address. */

import { type Reader, statement } from '../../engine/database.ts'
import { itemBytes, itemOf, type NftPlace } from './nft-place.ts'

// Of a row, the range that may cover it is the last that begins at or before it.
const rowsFrom = statement(
  `select t.contract_id, t.item from nft_token t
   where t.owner_id = ? and (t.contract_id, t.item) >= (?, ?) and t.contract_id <= ?
     and not exists (
       select 1 from nft_range r where r.contract_id = t.contract_id and r.first_item = (
         select b.first_item from nft_range b
         where b.contract_id = t.contract_id and b.first_item <= t.item
         order by b.first_item desc limit 1)
       and r.last_item >= t.item and r.at > t.at)
   order by t.contract_id, t.item limit ?`,
)

const rangesFrom = statement(
  `select contract_id, first_item, last_item, at from nft_range
   where owner_id = ? and (contract_id, first_item) >= (?, coalesce((
     select b.first_item from nft_range b
     where b.owner_id = ? and b.contract_id = ? and b.first_item <= ?
     order by b.first_item desc limit 1), ?)) and contract_id <= ?
   order by contract_id, first_item limit ?`,
)

const movedAway = statement(
  `select item from nft_token
   where contract_id = ? and standard = 721 and item >= ? and item <= ? and at > ?
   order by item limit ?`,
)

/** Parameters: tokens from `from` on, in contracts up to number `untilContract`. */
export type OwnerQuery = {
  readonly ownerId: number
  readonly from: NftPlace
  readonly untilContract: number
  readonly limit: number
}

/**
 * ERC-721 tokens an address owns, in order of the contracts' first sight and of token ids.
 *
 * Cost: one range scan of `nft_token_by_owner` with two look-ups per row, one of
 * `nft_range_by_owner`, and per range a scan of its tokens that have moved away since.
 */
export async function tokensOfOwner(store: Reader, query: OwnerQuery): Promise<NftPlace[]> {
  const { ownerId, from, untilContract, limit } = query
  const start = itemBytes(from.item)
  const rows = await store.all(rowsFrom, [ownerId, from.contractId, start, untilContract, limit])
  const owned: NftPlace[] = rows.map((row) => ({
    contractId: row[0],
    item: itemOf(row[1]),
  }))
  const ranges = await store.all(rangesFrom, [
    ownerId,
    from.contractId,
    ownerId,
    from.contractId,
    start,
    start,
    untilContract,
    limit + 1,
  ])
  let inRanges = 0
  for (const row of ranges) {
    if (inRanges >= limit) break
    const contractId = row[0]
    const first = itemOf(row[1])
    const begin = contractId === from.contractId && first < from.item ? from.item : first
    const range = { contractId, first: begin, last: itemOf(row[2]), at: row[3] }
    const items = await itemsLeft(store, range, limit - inRanges)
    inRanges += items.length
    for (const item of items) owned.push({ contractId, item })
  }
  return owned
    .sort((a, b) => {
      if (a.contractId !== b.contractId) return a.contractId - b.contractId
      return a.item < b.item ? -1 : 1
    })
    .slice(0, limit)
}

/** The first ids of a range that no later transfer has taken out of it. */
async function itemsLeft(
  store: Reader,
  range: {
    readonly contractId: number
    readonly first: bigint
    readonly last: bigint
    readonly at: number
  },
  limit: number,
): Promise<bigint[]> {
  const { contractId, last, at } = range
  const left: bigint[] = []
  let item = range.first
  while (item <= last && left.length < limit) {
    const rows = await store.all(movedAway, [
      contractId,
      itemBytes(item),
      itemBytes(last),
      at,
      movedAtOnce,
    ])
    const moved = new Set(rows.map((row) => itemOf(row[0])))
    // A full answer does not say what follows its last token.
    const lastRow = rows.length === movedAtOnce ? rows.at(-1) : undefined
    const known = lastRow === undefined ? last : itemOf(lastRow[0])
    for (; item <= known && left.length < limit; item++) if (!moved.has(item)) left.push(item)
  }
  return left
}

// More than a page, so that most ranges are read once.
const movedAtOnce = 1_000
