/** Tokens an address may hold, with the balance its logs give. */

import { itemAt } from '../../../core/item-at.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { balance } from '../../schema/evm.ts'
import { bytesAt, integerAt } from '../row-values.ts'
import { type BalanceAt, balanceAt } from './balance-at.ts'
import { type TokenRow, tokensOfIds } from './parties-of-ids.ts'

/** One (address, token) pair at a height. */
export type BalanceRow = {
  readonly token: TokenRow
  /** Magnitude by the logs, big-endian, empty for zero; `undefined` before the first change. */
  readonly value: Uint8Array | undefined
  /** 1 where the logs give less than nothing: they do not tell the balance. */
  readonly negative: number
}

// A loose scan: from one token of the address to the next, whatever number of rows each has.
const tokensAfter = statement(
  `with recursive held(token_id) as (
     select min(token_id) from balance where address_id = ? and token_id > ?
     union all
     select (select min(b.token_id) from balance b
             where b.address_id = ? and b.token_id > held.token_id)
     from held where held.token_id is not null
   )
   select token_id from held where token_id is not null order by token_id limit ?`,
  { over: 'merge' },
)

type Page = { readonly addressId: number; readonly afterToken: number; readonly limit: number }

/**
 * Tokens after number `afterToken` whose balance of the address ever changed, in order of their
 * first sight on the chain, each with its newest value at or before `height`.
 *
 * Cost: four look-ups by key per token, whatever the number of changes; as many in each segment.
 */
export async function balanceCandidates(
  store: Reader,
  query: Page & { readonly height: number },
): Promise<BalanceRow[]> {
  const { addressId, limit, height } = query
  const found: BalanceRow[] = []
  for (let { afterToken } = query; found.length < limit;) {
    const tokenIds = await tokensOf(store, { addressId, afterToken, limit })
    const rows = await balancesOfTokens(store, { addressId, tokenIds, height })
    // Contracts that took deposits and never logged a transfer are no tokens.
    found.push(...rows.filter((row) => row !== undefined))
    const last = tokenIds.at(-1)
    if (last === undefined || tokenIds.length < limit) break
    afterToken = last
  }
  return found.slice(0, limit)
}

async function tokensOf(
  store: Reader,
  { addressId, afterToken, limit }: Page,
): Promise<readonly number[]> {
  const rows = await store.all(tokensAfter, [addressId, afterToken, addressId, limit])
  return rows.map((row) => integerAt(row, 0))
}

const newest = {
  table: balance,
  key: ['address_id', 'token_id'],
  select: ['height', 'value', 'negative'],
  last: 'height',
} as const

/**
 * The newest values at or before `height` of pairs, in their order; `undefined` before the first change.
 *
 * Cost: one look-up in the key of `balance` each, and another for those that changed after `height`;
 * where history is frozen, one in each segment besides.
 */
export async function balancesOfPairs(
  store: Reader,
  query: {
    readonly addressIds: readonly number[]
    readonly tokenIds: readonly number[]
    readonly height: number
  },
): Promise<(BalanceAt | undefined)[]> {
  const { addressIds, tokenIds, height } = query
  const found = await store.lookup(newest, [addressIds, tokenIds])
  const values: (BalanceAt | undefined)[] = []
  for (const [at, row] of found.entries()) {
    const pair = { addressId: itemAt(addressIds, at), tokenId: itemAt(tokenIds, at), height }
    if (row === undefined) values.push(undefined)
    else if (integerAt(row, 0) > height) values.push(await balanceAt(store, pair))
    else values.push({ value: bytesAt(row, 1), negative: integerAt(row, 2) })
  }
  return values
}

/**
 * The pairs of an address with given tokens at a height, in order of the tokens; a token that
 * the chain does not know is `undefined`.
 *
 * Cost: as `balancesOfPairs`, and a look-up in the key of `token` each.
 */
export async function balancesOfTokens(
  store: Reader,
  query: {
    readonly addressId: number
    readonly tokenIds: readonly number[]
    readonly height: number
  },
): Promise<(BalanceRow | undefined)[]> {
  const { addressId, tokenIds, height } = query
  const tokens = await tokensOfIds(store, tokenIds)
  const addressIds = tokenIds.map(() => addressId)
  const values = await balancesOfPairs(store, { addressIds, tokenIds, height })
  return tokens.map((token, at) => {
    const value = values[at]
    return token && { token, value: value?.value, negative: value?.negative ?? 0 }
  })
}
