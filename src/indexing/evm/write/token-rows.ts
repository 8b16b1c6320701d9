/** Rows of tokens of which only logs are known. */

import type { ColumnsOf } from '../../../store/engine/database.ts'
import type { token } from '../../../store/schema/evm.ts'

/** A token that a log showed: its number, the standard of the log, and the height of the first one. */
export type ShownToken = {
  readonly id: number
  readonly standard: number
  readonly height: number
}

/** Columns of new rows of `token`: nobody asked these contracts anything yet. */
export function newTokens(tokens: readonly ShownToken[]): ColumnsOf<typeof token> {
  const never = tokens.map(() => 0)
  const unknown = tokens.map(() => null)
  return {
    id: tokens.map(({ id }) => id),
    standard: tokens.map(({ standard }) => standard),
    first_height: tokens.map(({ height }) => height),
    name: unknown,
    symbol: unknown,
    decimals: unknown,
    metadata_height: never,
    metadata_at: never,
    compared_at: never,
    code: unknown,
    source: unknown,
    inexact_height: unknown,
    inexact_holder: unknown,
    inexact_reason: unknown,
    agreed: never,
    spam: never,
    transfers: never,
    holders: never,
  }
}
