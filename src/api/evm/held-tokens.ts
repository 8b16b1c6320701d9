/**
 * ERC-20 tokens that an address holds, and the amounts.
 *
 * Logs say which tokens may be held. Where indexing has shown that a token's logs tell its
 * balances, they say how much too; for every other token its `balanceOf` is asked of the node.
 */

import { parseEvmAddress } from '../../core/address.ts'
import { concatBytes, toBigint } from '../../core/bytes.ts'
import {
  balanceCandidates,
  balancesOfTokens,
  type BalanceRow,
} from '../../store/query/evm/balance-candidates.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import type { Named, PartyBook, PartyEntry } from './party-book.ts'

/** A token and what is held of it, never zero. */
export type Holding = { readonly id: number; readonly entry: PartyEntry; readonly balance: bigint }

/** A page of holdings; `last` is where the next page begins, if there is one. */
export type Holdings = { readonly rows: readonly Holding[]; readonly last?: number }

/** Parameters of the list. */
export type HoldingsQuery = {
  readonly address: Uint8Array
  /** Number of the address, 0 for one the chain has never shown. */
  readonly addressId: number
  /** `undefined` is the newest block. */
  readonly height: number | undefined
  /** Tokens after this number only. */
  readonly after: number
  readonly limit: number
  /** Numbers of the only tokens wanted, ascending; `undefined` for all with logs. */
  readonly only: readonly number[] | undefined
  readonly keep: (entry: PartyEntry) => boolean
  readonly signal: AbortSignal
}

/** `balanceOf(address)`. Source: ERC-20. */
const balanceOfSelector = Uint8Array.of(0x70, 0xa0, 0x82, 0x31)
const twelveZeros = new Uint8Array(12)

// Tokens looked at for one page: a page may come out short, with a token to go on.
const maxLookedAt = 3_000
const chunkSize = 500

/**
 * Holdings in order of the tokens' first sight on the chain.
 *
 * Throws `not-served` when a balance must be asked of the node and none can tell it.
 */
export async function heldTokens(
  chain: ServedChain,
  book: PartyBook,
  query: HoldingsQuery,
): Promise<Holdings> {
  const rows: Holding[] = []
  let after = query.after
  for (let lookedAt = 0; lookedAt < maxLookedAt;) {
    const size = Math.min(chunkSize, query.limit + 1 - rows.length + 16)
    const candidates = await nextCandidates(chain, query, after, size)
    const named = await book.load(candidates.map(({ token }) => token.id))
    const kept = candidates.filter((candidate) => isWanted(candidate, named, query))
    for (const holding of await balancesOf(chain, kept, named, query)) {
      if (rows.length === query.limit) return { rows, last: rows[rows.length - 1]?.id ?? after }
      rows.push(holding)
    }
    const last = candidates[candidates.length - 1]
    if (last === undefined || candidates.length < size) return { rows }
    after = last.token.id
    lookedAt += candidates.length
  }
  return { rows, last: after }
}

async function nextCandidates(
  chain: ServedChain,
  query: HoldingsQuery,
  after: number,
  limit: number,
): Promise<readonly BalanceRow[]> {
  const { addressId, height, only } = query
  const until = height ?? Number.MAX_SAFE_INTEGER
  if (only === undefined) {
    return balanceCandidates(chain.store, { addressId, afterToken: after, height: until, limit })
  }
  const tokenIds = only.filter((id) => id > after).slice(0, limit)
  const rows = await balancesOfTokens(chain.store, { addressId, tokenIds, height: until })
  return rows.filter((row) => row !== undefined)
}

/**
 * Tokens without any change up to the height are held by nobody the logs know; only a caller who
 * names a token gets the node's word on it.
 */
function isWanted({ token, value }: BalanceRow, named: Named, query: HoldingsQuery): boolean {
  if (value === undefined && (query.only === undefined || token.standard !== 20)) return false
  return query.keep(named(token.id))
}

async function balancesOf(
  chain: ServedChain,
  candidates: readonly BalanceRow[],
  named: Named,
  query: HoldingsQuery,
): Promise<Holding[]> {
  const asked = candidates.filter((candidate) => !logsTell(candidate))
  const answers = await askNode(chain, asked, named, query)
  const holdings: Holding[] = []
  for (const candidate of candidates) {
    const balance = logsTell(candidate)
      ? toBigint(candidate.value ?? new Uint8Array())
      : answers.get(candidate.token.id)
    if (balance === undefined || balance === 0n) continue
    holdings.push({ id: candidate.token.id, entry: named(candidate.token.id), balance })
  }
  return holdings
}

/** Returns whether the balance that logs add up to is the real balance. */
function logsTell({ token, negative }: BalanceRow): boolean {
  return token.exactness === 1 && negative === 0
}

/** Balances by token number; a contract that reverts or answers nonsense holds nothing. */
async function askNode(
  chain: ServedChain,
  candidates: readonly BalanceRow[],
  named: Named,
  query: HoldingsQuery,
): Promise<Map<number, bigint>> {
  const balances = new Map<number, bigint>()
  if (candidates.length === 0) return balances
  const data = concatBytes(balanceOfSelector, twelveZeros, query.address)
  const calls = candidates.map(({ token }) => ({
    to: parseEvmAddress(named(token.id).address),
    data,
  }))
  const answers = await chain.state.calls(calls, query.height, query.signal)
  for (const [at, { token }] of candidates.entries()) {
    const answer = answers[at]
    if (answer !== undefined && answer.length >= 32)
      balances.set(token.id, toBigint(answer.subarray(0, 32)))
  }
  return balances
}
