/** Addresses and the token contracts among them. */

import { type Reader, statement } from '../../engine/database.ts'
import { token } from '../../schema/evm.ts'
import { integerAt, textAt } from '../row-values.ts'
import { integer, maybe, type RowOf, storedRow, text } from '../stored-row.ts'
import { maskOfCase } from './case-of-address.ts'

/** Stored facts about a token contract, under the names of their columns. */
export const tokenRow = storedRow({
  id: integer('id'),
  /** 20, 721 or 1155, by the evidence of its logs. */
  standard: integer('standard'),
  name: maybe(text('name')),
  symbol: maybe(text('symbol')),
  decimals: maybe(integer('decimals')),
  /** Unix seconds at which the contract last told them, 0 for never. */
  metadata_at: integer('metadata_at'),
  /** Block at which a balance was not what logs give, and how; absent where none is known to. */
  inexact_height: maybe(integer('inexact_height')),
  inexact_reason: maybe(text('inexact_reason')),
  /** 1 when its transfers look like spam. */
  spam: integer('spam'),
})
/** Row of {@link tokenRow}. */
export type TokenRow = RowOf<typeof tokenRow>

/** One address and, if it is one, its token. */
export type PartyRow = {
  /** Forty lower-case digits. */
  readonly digits: string
  /** Mask of the EIP-55 text; `undefined` where the stored one is damaged. */
  readonly mask: number | undefined
  readonly token: TokenRow | undefined
}

const tokenOfId = { table: token, key: ['id'], select: tokenRow.names }

/** The token contracts among numbers of addresses, in the order asked. Cost: a look-up each. */
export async function tokensOfIds(
  store: Reader,
  ids: readonly number[],
): Promise<(TokenRow | undefined)[]> {
  const rows = await store.lookup(tokenOfId, [ids])
  return rows.map((row) => (row === undefined ? undefined : tokenRow.read(row)))
}

const selected = tokenRow.names.map((name) => `k.${name}`).join(', ')

/** Numbers come as a list in JSON, so that a page of any length is one statement. */
const partiesQuestion = statement(
  `select a.id, lower(hex(a.bytes)), a.cased, ${selected}
   from json_each(?) j cross join address a on a.id = j.value left join token k on k.id = a.id`,
  {
    postgres: `select a.id, encode(a.bytes, 'hex'), a.cased, ${selected}
      from address a left join token k on k.id = a.id
      where a.id = any(array(select value::bigint from json_array_elements_text(?::json)))`,
  },
)

/**
 * Addresses by number with what is stored of the tokens among them, in the order asked.
 *
 * Cost: one statement, two look-ups by key for each. A number that no address has is `undefined`.
 */
export async function partiesOfIds(
  store: Reader,
  ids: readonly number[],
): Promise<(PartyRow | undefined)[]> {
  const found = new Map<number, PartyRow>()
  for (const row of await store.all(partiesQuestion, [`[${ids.join(',')}]`])) {
    found.set(integerAt(row, 0), {
      digits: textAt(row, 1),
      mask: maskOfCase(integerAt(row, 2)),
      token: row[3] === null ? undefined : tokenRow.read(row.slice(3)),
    })
  }
  return ids.map((id) => found.get(id))
}
