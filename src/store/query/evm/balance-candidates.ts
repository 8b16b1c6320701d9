/** Tokens an address may hold, with the balance its logs give. */

import { type Reader, type Row, statement } from '../../engine/database.ts'
import { frozenUntil, readManifest } from '../../ice/manifest.ts'
import { maybeBytesAt, maybeIntegerAt } from '../row-values.ts'
import { balanceAt } from './balance-at.ts'
import { type TokenRow, tokenRow } from './parties-of-ids.ts'

/** One (address, token) pair at a height. */
export type BalanceRow = {
  readonly token: TokenRow
  /** Magnitude by the logs, big-endian, empty for zero; `undefined` before the first change. */
  readonly value: Uint8Array | undefined
  /** 1 where the logs give less than nothing: they do not tell the balance. */
  readonly negative: number
}

const columns = tokenRow.names.map((name) => `k.${name}`).join(', ')

// A loose scan: from one token of the address to the next, whatever number of rows each has.
const question = statement(
  `with recursive held(token_id) as (
     select min(token_id) from balance where address_id = ? and token_id > ?
     union all
     select (select min(b.token_id) from balance b
             where b.address_id = ? and b.token_id > held.token_id)
     from held where held.token_id is not null
   )
   select ${columns}, b.value, b.negative
   from (select token_id from held where token_id is not null limit ?) h
   join token k on k.id = h.token_id
   left join balance b on b.address_id = ? and b.token_id = h.token_id and b.height = (
     select max(n.height) from balance n
     where n.address_id = ? and n.token_id = h.token_id and n.height <= ?)
   order by h.token_id`,
  // The newest balance of every pair stays in the table, so it has all pairs.
  { rowsOnly: true },
)

/**
 * Tokens after number `afterToken` whose balance of the address ever changed, in order of their
 * first sight on the chain, each with its newest value at or before `height`.
 *
 * Cost: three look-ups in the key of `balance` and one of `token` per token, whatever the
 * number of changes; at a height that is frozen those of `balanceAt` besides.
 */
export async function balanceCandidates(
  store: Reader,
  query: {
    readonly addressId: number
    readonly afterToken: number
    readonly height: number
    readonly limit: number
  },
): Promise<BalanceRow[]> {
  const { addressId, afterToken, height, limit } = query
  const rows = await store.all(question, [
    addressId,
    afterToken,
    addressId,
    limit,
    addressId,
    addressId,
    height,
  ])
  return withOlder(store, rows.map(balanceRow), query)
}

/** Looks for values that are older than what the table has of their pairs. */
async function withOlder(
  store: Reader,
  rows: readonly BalanceRow[],
  { addressId, height }: { readonly addressId: number; readonly height: number },
): Promise<BalanceRow[]> {
  const isWhole = rows.every(({ value }) => value !== undefined)
  if (isWhole || frozenUntil(await readManifest(store)) <= height) return [...rows]
  const found: BalanceRow[] = []
  for (const row of rows) {
    const isNone = row.value === undefined
    const pair = { addressId, tokenId: row.token.id, height }
    found.push(isNone ? { ...row, ...(await balanceAt(store, pair)) } : row)
  }
  return found
}

const oneToken = statement(
  `select ${columns}, b.value, b.negative
   from token k
   left join balance b on b.address_id = ? and b.token_id = k.id and b.height = (
     select max(n.height) from balance n
     where n.address_id = ? and n.token_id = k.id and n.height <= ?)
   where k.id = ?`,
  { rowsOnly: true },
)

/**
 * The pairs of an address with given tokens at a height, in order of the tokens; a token that
 * the chain does not know is `undefined`.
 *
 * Cost: one statement of three look-ups by key per token.
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
  const rows: (BalanceRow | undefined)[] = []
  for (const tokenId of tokenIds) {
    const row = await store.get(oneToken, [addressId, addressId, height, tokenId])
    if (row === undefined) rows.push(undefined)
    else rows.push(...(await withOlder(store, [balanceRow(row)], { addressId, height })))
  }
  return rows
}

function balanceRow(row: Row): BalanceRow {
  const at = tokenRow.names.length
  return {
    token: tokenRow.read(row),
    value: maybeBytesAt(row, at),
    negative: maybeIntegerAt(row, at + 1) ?? 0,
  }
}
