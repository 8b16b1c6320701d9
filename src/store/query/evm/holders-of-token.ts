/** Addresses that may hold a token, and the holders of an ERC-20 token by its logs. */

import { toBigint } from '../../../core/bytes.ts'
import type { Random } from '../../../core/world.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { integerAt } from '../row-values.ts'
import { type BalanceAt, balanceAt } from './balance-at.ts'

const named = statement(
  `select address_id from holding
   where token_id = ? and address_id > ? and since <= ? order by address_id limit ?`,
  { over: 'merge' },
)

/**
 * Numbers of the addresses after `after` that a transfer of the token, of any standard, named in a
 * block up to `at`, ascending: in order of their first sight on the chain.
 *
 * Cost: one range scan of the key of `holding`, `limit` rows; in each segment as many.
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

const newestAddress = statement('select max(id) from address')

/** Holders among which chance draws. */
const drawnAmong = 4_096

/**
 * At most `most` of the addresses that may hold a token, drawn by chance: all have the same where there are
 * few, and those behind a place that chance draws where there are more. `most` is given the number of those
 * among which it draws. Cost: a range scan of some thousand rows.
 */
export async function drawHolders(
  store: Reader,
  random: Random,
  of: { readonly tokenId: number; readonly at: number; readonly most: (known: number) => number },
): Promise<number[]> {
  const query = { tokenId: of.tokenId, at: of.at, limit: drawnAmong }
  const newest = Number((await store.get(newestAddress))?.[0] ?? 0)
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
   where address_id = ? and token_id = ? and height > ? and height <= ? order by height limit ?`,
  { over: 'oldest' },
)
/** Changes of a balance that are read at once. */
const changesAtOnce = 256

/**
 * Returns whether an address held more than `threshold` after some block from `from` to `at`.
 *
 * Cost: a balance at `from`, and at each height of these blocks that changed it, up to the first that is
 * more.
 */
export async function heldMoreThan(
  store: Reader,
  pair: { readonly addressId: number; readonly tokenId: number },
  range: { readonly from: number; readonly at: number; readonly threshold: bigint },
): Promise<boolean> {
  const { addressId, tokenId } = pair
  const { from, at, threshold } = range
  const begin = await balanceAt(store, { addressId, tokenId, height: from })
  if (begin !== undefined && heldBy(begin) > threshold) return true
  for (let after = from; ;) {
    const rows = await store.all(changes, [addressId, tokenId, after, at, changesAtOnce])
    for (const row of rows) {
      after = integerAt(row, 0)
      const changed = await balanceAt(store, { addressId, tokenId, height: after })
      if (changed !== undefined && heldBy(changed) > threshold) return true
    }
    if (rows.length < changesAtOnce) return false
  }
}
