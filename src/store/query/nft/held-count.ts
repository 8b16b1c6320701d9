/** Number of tokens of an NFT contract that an address has. */

import { type Reader, statement } from '../../engine/database.ts'
import { amountsOfOwner } from './amounts-of-owner.ts'
import { maxItem, type NftPlace } from './nft-place.ts'
import { tokensOfOwner } from './tokens-of-owner.ts'

const anyRange = statement('select 1 from nft_range where contract_id = ? limit 1')
const ownRows = statement('select count(*) from nft_token where owner_id = ? and contract_id = ?')

const rowsAtOnce = 1_000

/** An address and a contract, by their numbers. */
export type OwnerOfContract = { readonly ownerId: number; readonly contractId: number }

/**
 * ERC-721 tokens of a contract that an address owns.
 *
 * Cost: a count of its range of `nft_token_by_owner`; for a contract that gave away ranges (ERC-2309)
 * a read of all its tokens.
 */
export async function ownedCount(store: Reader, of: OwnerOfContract): Promise<bigint> {
  const { ownerId, contractId } = of
  if ((await store.get(anyRange, [contractId])) === undefined) {
    const row = await store.get(ownRows, [ownerId, contractId])
    return BigInt(row === undefined ? 0 : row[0])
  }
  let count = 0n
  for (let item: bigint | undefined = 0n; item !== undefined;) {
    const rows = await tokensOfOwner(store, {
      ownerId,
      from: { contractId, item },
      untilContract: contractId,
      limit: rowsAtOnce,
    })
    count += BigInt(rows.length)
    const last = rows.at(-1)
    item = rows.length < rowsAtOnce ? undefined : itemAfter(last)
  }
  return count
}

/**
 * Units of all ERC-1155 ids of a contract that an address has.
 *
 * Cost: four look-ups in the key of `nft_amount` per id it ever had.
 */
export async function heldAmount(store: Reader, of: OwnerOfContract): Promise<bigint> {
  const { ownerId, contractId } = of
  let sum = 0n
  for (let item: bigint | undefined = 0n; item !== undefined;) {
    const rows = await amountsOfOwner(store, {
      ownerId,
      from: { contractId, item },
      untilContract: contractId,
      limit: rowsAtOnce,
      height: Number.MAX_SAFE_INTEGER,
    })
    for (const { amount } of rows) sum += amount
    const last = rows.at(-1)
    item = rows.length < rowsAtOnce ? undefined : itemAfter(last)
  }
  return sum
}

/** Units of one id of a contract that an address has, of either standard. Cost: some look-ups by key. */
export async function heldOfItem(
  store: Reader,
  { ownerId, contractId, item }: OwnerOfContract & { readonly item: bigint },
): Promise<bigint> {
  const of = { ownerId, from: { contractId, item }, untilContract: contractId, limit: 1 }
  const [units] = await amountsOfOwner(store, { ...of, height: Number.MAX_SAFE_INTEGER })
  const [owned] = await tokensOfOwner(store, of)
  return (units?.item === item ? units.amount : 0n) + (owned?.item === item ? 1n : 0n)
}

/** The id behind the last of a page; `undefined` where there is none. */
function itemAfter(last: NftPlace | undefined): bigint | undefined {
  return last === undefined || last.item === maxItem ? undefined : last.item + 1n
}
