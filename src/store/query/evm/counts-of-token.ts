/** How often tokens moved and how many addresses they came to; tokens of a chain in the order of these. */

import { type Reader, statement } from '../../engine/database.ts'
import { integerAt } from '../row-values.ts'
import { mayHold } from './holders-of-token.ts'

/** Counts of a token that has so many or more. */
export const mostCounted = { transfers: 1_000_000, holders: 100_000 } as const

const transfers = statement(
  `select count(*) from (select 1 from transfer_by_token where token_id = ? limit ${mostCounted.transfers}) as few`,
  { over: 'sum' },
)
const holdersAtOnce = 10_000

/**
 * Counts of a token up to {@link mostCounted}; holders are the addresses that ever had some.
 *
 * Cost: a scan of two ranges of keys, up to some 100 ms.
 */
export async function countsOfToken(
  store: Reader,
  tokenId: number,
): Promise<{ readonly transfers: number; readonly holders: number }> {
  const [counted = 0] = (await store.get(transfers, [tokenId])) ?? []
  let holders = 0
  for (let after = 0; holders < mostCounted.holders;) {
    const query = { tokenId, after, at: Number.MAX_SAFE_INTEGER, limit: holdersAtOnce }
    const some = await mayHold(store, query)
    holders += some.length
    if (some.length < holdersAtOnce) break
    after = some.at(-1) ?? after
  }
  return { transfers: Math.min(Number(counted), mostCounted.transfers), holders }
}

/** A token with its counts as of the last look at it. */
export type CountedToken = {
  readonly id: number
  readonly transfers: number
  readonly holders: number
}

const inOrderOf = (column: 'transfers' | 'holders'): ReturnType<typeof statement> =>
  statement<string>(
    `select id, transfers, holders from token
     where (${column} < ? or (${column} = ? and id < ?)) and standard in (?, ?)
     order by ${column} desc, id desc limit ?`,
    { over: undefined },
  )
const orders = { transfers: inOrderOf('transfers'), holders: inOrderOf('holders') } as const

/** Tokens of some standards, those with the most first, strictly after one. Cost: a range of the index. */
export async function countedTokens(
  store: Reader,
  query: {
    readonly by: 'transfers' | 'holders'
    readonly standards: readonly [number, number]
    readonly after: { readonly count: number; readonly id: number } | undefined
    readonly limit: number
  },
): Promise<CountedToken[]> {
  const { by, standards, after, limit } = query
  const { count, id } = after ?? { count: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }
  const rows = await store.all(orders[by], [count, count, id, ...standards, limit])
  return rows.map((row) => ({
    id: integerAt(row, 0),
    transfers: integerAt(row, 1),
    holders: integerAt(row, 2),
  }))
}
