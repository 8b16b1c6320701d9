/** ERC-20 balances from logs: of an address, and of all holders of a token. */

import { toBigint } from '../../../core/bytes.ts'
import { mostCounted, mostExact } from '../../../core/token-counts.ts'
import type { Random } from '../../../core/world.ts'
import { type Reader, type Row, type Statement, statement } from '../../engine/database.ts'
import { balanceAt } from '../../schema/evm.ts'
import { integerAt, maybeBytesAt, maybeIntegerAt } from '../row-values.ts'
import { type TokenRow, tokensOfIds } from './addresses.ts'

/** Magnitude, big-endian, empty for zero; `negative` 1 where logs give less than nothing. */
export type BalanceAt = { readonly value: Uint8Array; readonly negative: number }

/** One (address, token) pair at a height. */
export type BalanceRow = {
  readonly token: TokenRow
  /** Magnitude by the logs, big-endian, empty for zero; `undefined` before the first change. */
  readonly value: Uint8Array | undefined
  /** 1 where the logs give less than nothing: they do not give the balance. */
  readonly negative: number
}

// A loose scan: from one token of the address to the next, whatever number of rows each has. They come in order, so
// that nothing is sorted and a full page ends it.
const heldByAddress = statement(
  `with recursive held(token_id) as (
     select min(token_id) from balance where address_id = ? and token_id > ?
     union all
     select (select min(b.token_id) from balance b
             where b.address_id = ? and b.token_id > held.token_id)
     from held where held.token_id < ?
   )
   select token_id,
     (select b.value from balance b where b.address_id = ? and b.token_id = held.token_id
      and b.height <= ? order by b.height desc limit 1),
     (select b.negative from balance b where b.address_id = ? and b.token_id = held.token_id
      and b.height <= ? order by b.height desc limit 1)
   from held where token_id is not null limit ?`,
  {
    over: 'merge',
    key: { of: 'address', at: [0] },
    sums: { lastAt: [5, 7], afterAt: 1 },
    upTo: 3,
    amountAt: 1,
  },
)

/**
 * Tokens after number `afterToken` whose balance of the address changed at or before `height`, in order of their
 * first sight on the chain, each with its newest value then.
 *
 * Cost: four look-ups by key per token, whatever the number of changes; one in each segment, and these for the tokens
 * that it has.
 */
export async function balanceCandidates(
  store: Reader,
  query: {
    readonly addressId: number
    readonly afterToken: number
    readonly limit: number
    readonly height: number
  },
): Promise<BalanceRow[]> {
  const { addressId: id, limit, height } = query
  const found: BalanceRow[] = []
  for (let { afterToken } = query; found.length < limit;) {
    const scan = [id, afterToken, id, Number.MAX_SAFE_INTEGER]
    const rows = await store.all(heldByAddress, [...scan, id, height, id, height, limit])
    const tokenIds = rows.map((row) => integerAt(row, 0))
    const tokens = await tokensOfIds(store, tokenIds)
    for (const [at, row] of rows.entries()) {
      const token = tokens[at]
      // Contracts that took deposits and never logged a transfer are no tokens.
      if (token !== undefined && row[1] !== null) found.push({ token, ...loggedAt(row) })
    }
    const last = tokenIds.at(-1)
    if (last === undefined || tokenIds.length < limit) break
    afterToken = last
  }
  return found.slice(0, limit)
}

/** The amount behind the first column of a row. */
function loggedAt(row: Row): Pick<BalanceRow, 'value' | 'negative'> {
  return { value: maybeBytesAt(row, 1), negative: maybeIntegerAt(row, 2) ?? 0 }
}

/**
 * The newest values at or before `height` of pairs, in their order; `undefined` before the first change.
 *
 * Cost: one look-up in the key of `balance` each; where history is frozen, one in each segment besides.
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
  return balancesAt(store, [addressIds, tokenIds, addressIds.map(() => height)])
}

/** Balances at the keys of {@link balanceAt}: addresses, tokens and heights. */
async function balancesAt(
  store: Reader,
  keys: readonly (readonly number[])[],
): Promise<(BalanceAt | undefined)[]> {
  const rows = await store.lookup(balanceAt, keys)
  return rows.map((row) => row && { value: row[0], negative: row[1] })
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

const named = statement(
  `select address_id from holding where token_id = ? and address_id > ? and address_id <= ?
   and since <= ? order by address_id limit ?`,
  { over: 'merge', key: { of: 'holders', at: [0] }, sums: { lastAt: [3], afterAt: 1 }, upTo: 2 },
)
// The directory of history has the amounts beside the holders.
const namedAtEnd = `select address_id, value, negative from holding
  where token_id = ? and address_id > ? and address_id <= ? and since <= ?
  order by address_id limit ?`
const namedWithBalance = statement(
  `select h.address_id,
     (select b.value from balance b where b.address_id = h.address_id and b.token_id = h.token_id
      and b.height <= ? order by b.height desc limit 1),
     (select b.negative from balance b where b.address_id = h.address_id and b.token_id = h.token_id
      and b.height <= ? order by b.height desc limit 1)
   from holding h where h.token_id = ? and h.address_id > ? and h.address_id <= ?
   and h.since <= ? order by h.address_id limit ?`,
  {
    over: 'merge',
    key: { of: 'holders', at: [2] },
    sums: { lastAt: [0, 1, 5], afterAt: 3 },
    atEnd: { sqlite: namedAtEnd, skip: 2 },
    upTo: 4,
    amountAt: 1,
  },
)

/** Addresses of a page of those that may hold a token. */
type HoldersPage = {
  readonly tokenId: number
  readonly after: number
  readonly at: number
  readonly limit: number
}

/**
 * Numbers of the addresses after `after` that a transfer of the token, of any standard, named in a
 * block up to `at`, ascending: in order of their first sight on the chain.
 *
 * Cost: one range scan of the key of `holding`, `limit` rows; in each segment those of the same range.
 */
export async function mayHold(
  store: Reader,
  { tokenId, after, at, limit }: HoldersPage,
): Promise<number[]> {
  const rows = await store.all(named, [tokenId, after, Number.MAX_SAFE_INTEGER, at, limit])
  return rows.map((row) => row[0])
}

/**
 * As {@link mayHold}, each with its balance of the token by logs after block `at`.
 *
 * Cost: as `mayHold`, and two look-ups for each row.
 */
export async function balancesOfHolders(
  store: Reader,
  { tokenId, after, at, limit }: HoldersPage,
): Promise<(Pick<BalanceRow, 'value' | 'negative'> & { readonly addressId: number })[]> {
  const page = [tokenId, after, Number.MAX_SAFE_INTEGER, at, limit]
  const rows = await store.all(namedWithBalance, [at, at, ...page])
  return rows.map((row) => ({ addressId: integerAt(row, 0), ...loggedAt(row) }))
}

const newestAddress = statement('select max(id) from address')

/** Holders among which chance draws. */
const drawnAmong = 4_096

/**
 * At most `most` of the addresses that may hold a token: all of them where there are few, else
 * those after a random place. `most` is given the number of candidates. Cost: a range scan of some
 * thousand rows.
 */
export async function drawHolders(
  store: Reader,
  random: Random,
  of: { readonly tokenId: number; readonly at: number; readonly most: (known: number) => number },
): Promise<number[]> {
  const query = { tokenId: of.tokenId, at: of.at, limit: drawnAmong }
  const newest = (await store.get(newestAddress))?.[0] ?? 0
  const after = Math.floor(random.number() * newest)
  const among = await mayHold(store, { ...query, after })
  if (among.length < drawnAmong) among.push(...(await mayHold(store, { ...query, after: 0 })))
  const left = [...new Set(among)]
  const drawn: number[] = []
  for (let more = of.most(left.length); more > 0 && left.length > 0; more--)
    drawn.push(...left.splice(Math.floor(random.number() * left.length), 1))
  return drawn
}

/** The amount held: nothing where logs give less than that. */
function heldBy({ value, negative }: BalanceAt): bigint {
  return negative === 1 ? 0n : toBigint(value)
}

const changes = statement(
  `select height from balance
   where address_id = ? and token_id = ? and height >= ? and height < ? order by height limit ?`,
  { over: 'oldest', key: { of: 'pair', at: [0, 1] }, within: { height: [2, 3] } },
)
/** Changes of a balance that are read at once. */
const changesAtOnce = 256

/**
 * Returns whether an address held more than `threshold` after some block from `from` to `at`.
 *
 * Cost: a balance at `from`, and at each height of these blocks that changed it, up to the {@link changesAtOnce}
 * among which the first is that is more.
 */
export async function heldMoreThan(
  store: Reader,
  pair: { readonly addressId: number; readonly tokenId: number },
  range: { readonly from: number; readonly at: number; readonly threshold: bigint },
): Promise<boolean> {
  const { addressId, tokenId } = pair
  const { from, at, threshold } = range
  for (let heights = [from]; ;) {
    const pairs = [heights.map(() => addressId), heights.map(() => tokenId)]
    for (const held of await balancesAt(store, [...pairs, heights]))
      if (held !== undefined && heldBy(held) > threshold) return true
    const after = heights.at(-1)
    if (after === undefined) return false
    const rows = await store.all(changes, [addressId, tokenId, after + 1, at + 1, changesAtOnce])
    heights = rows.map((row) => row[0])
  }
}

const transfers = statement(
  'select count(*) from (select 1 from transfer_by_token where token_id = ? limit ?) as few',
  { over: 'sum', key: { of: 'token', at: [0] } },
)
const holdersAtOnce = 10_000

/** Counts of a token: its transfers, and the addresses that ever had some. */
type TokenCounts = { readonly transfers: number; readonly holders: number }

/**
 * Counts of a token up to `most`.
 *
 * Cost: a scan of two ranges of keys, up to some 100 ms.
 */
export async function countsOfToken(
  store: Reader,
  tokenId: number,
  most: TokenCounts = mostCounted,
): Promise<TokenCounts> {
  const [counted = 0] = (await store.get(transfers, [tokenId, most.transfers])) ?? []
  let holders = 0
  for (let after = 0; holders < most.holders;) {
    const query = { tokenId, after, at: Number.MAX_SAFE_INTEGER, limit: holdersAtOnce }
    const some = await mayHold(store, query)
    holders += some.length
    if (some.length < holdersAtOnce) break
    after = some.at(-1) ?? after
  }
  return { transfers: Math.min(counted, most.transfers), holders }
}

const lastCounts = statement('select transfers, holders from token where id = ?')

/**
 * Counts of a token, each exact below {@link mostExact}, else as of the last look at it.
 *
 * Cost: a look-up, and a scan of at most {@link mostExact} keys for each.
 */
export async function newestCounts(store: Reader, tokenId: number): Promise<TokenCounts> {
  const [transfers = 0, holders = 0] = (await store.get(lastCounts, [tokenId])) ?? []
  const now = await countsOfToken(store, tokenId, { transfers: mostExact, holders: mostExact })
  return {
    transfers: Math.max(transfers, now.transfers),
    holders: Math.max(holders, now.holders),
  }
}

/** A token with its counts as of the last look at it. */
export type CountedToken = {
  readonly id: number
  readonly transfers: number
  readonly holders: number
}

const inOrderOf = (
  column: 'transfers' | 'holders',
): Statement<readonly [id: number, transfers: number, holders: number]> =>
  statement(
    `select id, transfers, holders from token
     where (${column} < ? or (${column} = ? and id < ?)) and standard in (?, ?)
     order by ${column} desc, id desc limit ?`,
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
  return rows.map(([id, transfers, holders]) => ({ id, transfers, holders }))
}
