/** Addresses and the token contracts among them. */

import type { Reader } from '../../engine/database.ts'
import { address, token } from '../../schema/evm.ts'
import { bytesAt, integerAt, maybeIntegerAt, maybeTextAt } from './row-values.ts'

/** What is stored of a token contract. */
export type TokenRow = {
  readonly id: number
  /** 20, 721 or 1155, by the evidence of its logs. */
  readonly standard: number
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly decimals: number | undefined
  /** Whether logs give the balances `balanceOf` gives: 0 unknown, 1 yes, 2 no. */
  readonly exactness: number
  /** 1 when its transfers look like spam. */
  readonly spam: number
}

/** Where {@link tokenRow} finds its columns. */
export const tokenColumns = ['id', 'standard', 'name', 'symbol', 'decimals', 'exactness', 'spam']

/** One address and, if it is one, its token. */
export type PartyRow = { readonly bytes: Uint8Array; readonly token: TokenRow | undefined }

const bytesOfId = { table: address, key: ['id'], select: ['bytes'] }
const tokenOfId = { table: token, key: ['id'], select: tokenColumns }

/** Addresses by number, in the order asked; `undefined` where none has it. Cost: a look-up each. */
export async function addressesOfIds(
  store: Reader,
  ids: readonly number[],
): Promise<(Uint8Array | undefined)[]> {
  const rows = await store.lookup(bytesOfId, [ids])
  return rows.map((row) => (row === undefined ? undefined : bytesAt(row, 0)))
}

/** The token contracts among numbers of addresses, in the order asked. Cost: a look-up each. */
export async function tokensOfIds(
  store: Reader,
  ids: readonly number[],
): Promise<(TokenRow | undefined)[]> {
  const rows = await store.lookup(tokenOfId, [ids])
  return rows.map((row) => (row === undefined ? undefined : tokenRow(row, 0)))
}

/**
 * Addresses by number with what is stored of the tokens among them, in the order asked.
 *
 * Cost: two look-ups by key each. A number that no address has is `undefined`.
 */
export async function partiesOfIds(
  store: Reader,
  ids: readonly number[],
): Promise<(PartyRow | undefined)[]> {
  const [addresses, tokens] = await Promise.all([
    addressesOfIds(store, ids),
    tokensOfIds(store, ids),
  ])
  return addresses.map((bytes, at) =>
    bytes === undefined ? undefined : { bytes, token: tokens[at] },
  )
}

/** A token from {@link tokenColumns} selected from place `at` on. */
export function tokenRow(row: Parameters<typeof integerAt>[0], at: number): TokenRow {
  return {
    id: integerAt(row, at),
    standard: integerAt(row, at + 1),
    name: maybeTextAt(row, at + 2),
    symbol: maybeTextAt(row, at + 3),
    decimals: maybeIntegerAt(row, at + 4),
    exactness: integerAt(row, at + 5),
    spam: integerAt(row, at + 6),
  }
}
