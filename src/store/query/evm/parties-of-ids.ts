/** Addresses and the token contracts among them. */

import type { Reader } from '../../engine/database.ts'
import { address, token } from '../../schema/evm.ts'
import { bytesAt } from '../row-values.ts'
import { integer, maybe, type RowOf, storedRow, text } from '../stored-row.ts'

/** Stored facts about a token contract, under the names of their columns. */
export const tokenRow = storedRow({
  id: integer('id'),
  /** 20, 721 or 1155, by the evidence of its logs. */
  standard: integer('standard'),
  name: maybe(text('name')),
  symbol: maybe(text('symbol')),
  decimals: maybe(integer('decimals')),
  /** True when logs give the balances `balanceOf` gives: 0 unknown, 1 yes, 2 no. */
  exactness: integer('exactness'),
  /** 1 when its transfers look like spam. */
  spam: integer('spam'),
})
/** Row of {@link tokenRow}. */
export type TokenRow = RowOf<typeof tokenRow>

/** One address and, if it is one, its token. */
export type PartyRow = { readonly bytes: Uint8Array; readonly token: TokenRow | undefined }

const bytesOfId = { table: address, key: ['id'], select: ['bytes'] }
const tokenOfId = { table: token, key: ['id'], select: tokenRow.names }

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
  return rows.map((row) => (row === undefined ? undefined : tokenRow.read(row)))
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
