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

/**
 * Addresses by number, in the order asked.
 *
 * Cost: two look-ups by key each. A number that no address has is `undefined`.
 */
export async function partiesOfIds(
  store: Reader,
  ids: readonly number[],
): Promise<(PartyRow | undefined)[]> {
  const [addresses, tokens] = await Promise.all([
    store.lookup({ table: address, key: ['id'], select: ['bytes'] }, [ids]),
    store.lookup({ table: token, key: ['id'], select: tokenColumns }, [ids]),
  ])
  return addresses.map((row, at) => {
    if (row === undefined) return undefined
    const tokenAt = tokens[at]
    return {
      bytes: bytesAt(row, 0),
      token: tokenAt === undefined ? undefined : tokenRow(tokenAt, 0),
    }
  })
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
