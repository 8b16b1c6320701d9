/** ERC-1155 amounts of an address. */

import { toBigint } from '../../../core/bytes.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { bytesAt, integerAt, maybeBytesAt, maybeIntegerAt } from '../row-values.ts'
import { itemBytes, itemOf, type NftPlace } from './nft-place.ts'
import type { OwnerQuery } from './tokens-of-owner.ts'

/** Amount of a token id that an address has by the logs; 0 when they have none or a deficit. */
export type AmountRow = NftPlace & { readonly amount: bigint }

// A loose scan: from one token of the address to the next, whatever number of rows each has.
const next = (name: string, order: string, place: string): string =>
  `(select a.${name} from nft_amount a
    where a.owner_id = ? and (a.contract_id, a.item) ${order} ${place}
    order by a.contract_id, a.item limit 1)`

const question = statement(
  `with recursive held(contract_id, item) as (
     select ${next('contract_id', '>=', '(?, ?)')}, ${next('item', '>=', '(?, ?)')}
     union all
     select ${next('contract_id', '>', '(held.contract_id, held.item)')},
            ${next('item', '>', '(held.contract_id, held.item)')}
     from held where held.contract_id is not null
   )
   select h.contract_id, h.item, n.amount, n.negative
   from (select contract_id, item from held where contract_id is not null limit ?) h
   left join nft_amount n on n.owner_id = ? and n.contract_id = h.contract_id
     and n.item = h.item and n.height = (
       select max(m.height) from nft_amount m
       where m.owner_id = ? and m.contract_id = h.contract_id and m.item = h.item
         and m.height <= ?)
   where h.contract_id <= ?
   order by h.contract_id, h.item`,
)

/**
 * Token ids an address ever had, from `from` on, each with its amount at or before `height`:
 * in order of the contracts' first sight and of token ids.
 *
 * Cost: four look-ups in the key of `nft_amount` per token, whatever the number of changes.
 */
export async function amountsOfOwner(
  store: Reader,
  query: OwnerQuery & { readonly height: number },
): Promise<AmountRow[]> {
  const { ownerId, from, untilContract, limit, height } = query
  const place = [ownerId, from.contractId, itemBytes(from.item)]
  const rows = await store.all(question, [
    ...place,
    ...place,
    ownerId,
    ownerId,
    limit,
    ownerId,
    ownerId,
    height,
    untilContract,
  ])
  return rows.map((row) => {
    const amount = maybeBytesAt(row, 2)
    const isNegative = maybeIntegerAt(row, 3) === 1
    return {
      contractId: integerAt(row, 0),
      item: itemOf(bytesAt(row, 1)),
      amount: amount === undefined || isNegative ? 0n : toBigint(amount),
    }
  })
}
