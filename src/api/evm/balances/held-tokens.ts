/** ERC-20 tokens that an address holds, as logs say, and the amounts (`compared-balances.ts`). */

import { parseEvmAddress } from '../../../core/address.ts'
import { itemAt } from '../../../core/item-at.ts'
import {
  balanceCandidates,
  balancesOfTokens,
  type BalanceRow,
} from '../../../store/query/evm/balances.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import type { EvmContext } from '../evm-context.ts'
import type { Named, RichAddressEntry } from '../rich-addresses.ts'
import {
  type BalanceMoment,
  type Compared,
  type LoggedBalance,
  olderOf,
} from './compared-balances.ts'

/** A token and what is held of it, never zero. */
export type Holding = {
  readonly id: number
  readonly entry: RichAddressEntry
  readonly balance: bigint
}

/** A page of holdings; `last` is where the next page begins, if there is one. */
export type Holdings = {
  readonly rows: readonly Holding[]
  readonly last: number | undefined
  readonly compared: Compared
}

/** Parameters of the list. */
export type HoldingsQuery = {
  readonly address: Uint8Array
  /** Number of the address, 0 for one the chain has never shown. */
  readonly addressId: number
  readonly moment: BalanceMoment
  /** Tokens after this number only. */
  readonly after: number
  readonly limit: number
  /** Numbers of the only tokens wanted, ascending; `undefined` for all with logs. */
  readonly only: readonly number[] | undefined
  readonly keep: (entry: RichAddressEntry) => boolean
}

// Tokens looked at for one page: a page may come out short, with a token to go on.
const maxLookedAt = 3_000
/** Candidates looked at beyond a page. A caller may name so many addresses that are no tokens: one look takes them all. */
export const spareCandidates = 16

const chunkSize = 500

/**
 * Holdings in order of the tokens' first sight on the chain.
 *
 * Throws `not-served` when a balance must be read from the node and none can give it.
 */
export async function heldTokens(
  context: EvmContext,
  chain: ServedChain,
  query: HoldingsQuery,
): Promise<Holdings> {
  const book = context.addressBooks(chain)
  const rows: Holding[] = []
  let compared: Compared
  let isFirst = true
  let after = query.after
  for (let lookedAt = 0; lookedAt < maxLookedAt;) {
    const size = Math.min(chunkSize, query.limit + 1 - rows.length + spareCandidates)
    const candidates = await nextCandidates(chain, query, after, size)
    const named = await book.load(candidates.map(({ token }) => token.id))
    const kept = candidates.filter((candidate) => isWanted(candidate, named, query))
    const logged = kept.map(({ token, value, negative }): LoggedBalance => {
      const contract = parseEvmAddress(named(token.id).address)
      return { token, contract, holder: query.address, value, negative }
    })
    const read = await context.balances(chain)(logged, query.moment)
    if (logged.length > 0) compared = isFirst ? read.compared : olderOf(compared, read.compared)
    isFirst &&= logged.length === 0
    for (const [at, { token }] of kept.entries()) {
      const balance = itemAt(read.balances, at)
      if (balance === 0n) continue
      if (rows.length === query.limit)
        return { rows, last: rows[rows.length - 1]?.id ?? after, compared }
      rows.push({ id: token.id, entry: named(token.id), balance })
    }
    const last = candidates[candidates.length - 1]
    if (last === undefined || candidates.length < size) return { rows, last: undefined, compared }
    after = last.token.id
    lookedAt += candidates.length
  }
  return { rows, last: after, compared }
}

async function nextCandidates(
  chain: ServedChain,
  query: HoldingsQuery,
  after: number,
  limit: number,
): Promise<readonly BalanceRow[]> {
  const { addressId, only } = query
  const { height } = query.moment
  if (only === undefined) {
    return balanceCandidates(chain.store, { addressId, afterToken: after, height, limit })
  }
  const tokenIds = only.filter((id) => id > after).slice(0, limit)
  const rows = await balancesOfTokens(chain.store, { addressId, tokenIds, height })
  return rows.filter((row) => row !== undefined)
}

/**
 * By logs no one holds a token that has no change up to the height; it is read from the node only
 * for a caller who names it.
 */
function isWanted({ token, value }: BalanceRow, named: Named, query: HoldingsQuery): boolean {
  if (value === undefined && (query.only === undefined || token.standard !== 20)) return false
  return query.keep(named(token.id))
}
