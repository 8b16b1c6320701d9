/** Who may hold a token, and who holds an ERC-20 token as its logs tell. */

import { fromHex, toBigint } from '../../../core/bytes.ts'
import { itemAt } from '../../../core/item-at.ts'
import { type Reader, type Row, statement } from '../../engine/database.ts'
import { balance } from '../../schema/evm.ts'
import { bytesAt, integerAt } from '../row-values.ts'

const named = statement(
  `select address_id from holding
   where token_id = ? and address_id > ? and since <= ? order by address_id limit ?`,
)

/**
 * Numbers of the addresses after `after` that a transfer of the token, of any standard, named in a
 * block up to `at`, ascending: in order of their first sight on the chain.
 *
 * Cost: one range scan of the key of `holding`, `limit` rows.
 */
export async function mayHold(
  store: Reader,
  query: {
    readonly tokenId: number
    readonly after: number
    readonly at: number
    readonly limit: number
  },
): Promise<number[]> {
  const { tokenId, after, at, limit } = query
  const rows = await store.all(named, [tokenId, after, at, limit])
  return rows.map((row) => integerAt(row, 0))
}

const newest = {
  table: balance,
  key: ['address_id', 'token_id'],
  select: ['height', 'value', 'negative'],
  last: 'height',
} as const

const newestUpTo = statement(
  `select height, value, negative from balance
   where address_id = ? and token_id = ? and height <= ? order by height desc limit 1`,
)

/**
 * ERC-20 balances of addresses after block `at`, in their order; 0 where the logs say nothing or less.
 *
 * Cost: one look-up in the key of `balance` each, and another for those that changed after `at`.
 */
export async function balancesOfHolders(
  store: Reader,
  query: {
    readonly tokenId: number
    readonly addressIds: readonly number[]
    readonly at: number
  },
): Promise<bigint[]> {
  const { tokenId, addressIds, at } = query
  const found = await store.lookup(newest, [addressIds, addressIds.map(() => tokenId)])
  const balances: bigint[] = []
  for (const [place, row] of found.entries()) {
    let own: Row | undefined = row
    if (own !== undefined && integerAt(own, 0) > at)
      own = await store.get(newestUpTo, [itemAt(addressIds, place), tokenId, at])
    balances.push(own === undefined ? 0n : amountOf(own))
  }
  return balances
}

function amountOf(row: Row): bigint {
  return integerAt(row, 2) === 1 ? 0n : toBigint(bytesAt(row, 1))
}

const everAbove = statement(
  `select 1 from balance
   where address_id = ? and token_id = ? and height > ? and height <= ? and negative = 0
     and (length(value) > ? or (length(value) = ? and value > ?))
   limit 1`,
)

/**
 * Returns whether an address held more than `threshold` after some block from `from` to `at`.
 *
 * Cost: one look-up in the key of `balance`, and a scan of its rows of these blocks up to the first
 * that is more.
 */
export async function heldMoreThan(
  store: Reader,
  pair: { readonly addressId: number; readonly tokenId: number },
  range: { readonly from: number; readonly at: number; readonly threshold: bigint },
): Promise<boolean> {
  const { addressId, tokenId } = pair
  const { from, at, threshold } = range
  const begin = await store.get(newestUpTo, [addressId, tokenId, from])
  if (begin !== undefined && amountOf(begin) > threshold) return true
  const bytes = shortBytes(threshold)
  const size = bytes.length
  const parameters = [addressId, tokenId, from, at, size, size, bytes]
  return (await store.get(everAbove, parameters)) !== undefined
}

/** Big-endian without leading zeros, as balances are stored. */
function shortBytes(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array()
  const text = value.toString(16)
  return fromHex(text.length % 2 === 0 ? text : `0${text}`)
}
