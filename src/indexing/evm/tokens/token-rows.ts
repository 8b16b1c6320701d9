/** Rows of tokens of which only logs are known. */

import type { Columns } from '../../../store/engine/database.ts'
import { addressIds } from '../../../store/query/evm/address-id.ts'
import { mayHold } from '../../../store/query/evm/holders-of-token.ts'
import { tokensOfIds } from '../../../store/query/evm/parties-of-ids.ts'
import { token } from '../../../store/schema/evm.ts'
import type { TokenParts } from './token-metadata.ts'

/** A token that a log showed: its number, the standard of the log, and the height of the first one. */
export type ShownToken = {
  readonly id: number
  readonly standard: number
  readonly height: number
}

/** Columns of new rows of `token`: nobody asked these contracts anything yet. */
export function newTokens(tokens: readonly ShownToken[]): Columns {
  const never = tokens.map(() => 0)
  return {
    id: tokens.map(({ id }) => id),
    standard: tokens.map(({ standard }) => standard),
    first_height: tokens.map(({ height }) => height),
    metadata_height: never,
    metadata_at: never,
    compared_at: never,
    agreed: never,
    spam: never,
  }
}

/**
 * Adds coins that were wrapped and never moved: their Deposit and Withdrawal logs alone make no token of
 * other contracts. `wrapped` are their addresses, 20 bytes each. Returns how many are new.
 */
export async function addWrapped(
  { database, commit }: Pick<TokenParts, 'database' | 'commit'>,
  wrapped: readonly Uint8Array[],
): Promise<number> {
  if (wrapped.length === 0) return 0
  const ids = (await addressIds(database, wrapped)).flatMap((id) => id ?? [])
  const known = await tokensOfIds(database, ids)
  const found: ShownToken[] = []
  for (const id of ids.filter((_, at) => known[at] === undefined)) {
    const query = { tokenId: id, after: 0, at: Number.MAX_SAFE_INTEGER, limit: 1 }
    const [holder] = await mayHold(database, query)
    if (holder !== undefined) found.push({ id, standard: 20, height: 0 })
  }
  if (found.length > 0) await commit(async (writer) => writer.insertNew(token, newTokens(found)))
  return found.length
}
