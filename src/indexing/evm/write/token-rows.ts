/** Rows of tokens of which only logs are known. */

import type { Columns } from '../../../store/engine/database.ts'

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
