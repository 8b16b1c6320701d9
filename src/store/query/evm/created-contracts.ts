/** Contracts that transactions created. */

import type { Reader } from '../../engine/database.ts'
import { tx } from '../../schema/evm.ts'

/**
 * Numbers of the contracts by position of their transaction; those that failed have none. Cost: one
 * look-up by key each.
 */
export async function createdContracts(
  store: Reader,
  rows: readonly { readonly pos: number }[],
): Promise<ReadonlyMap<number, number>> {
  if (rows.length === 0) return new Map()
  const positions = rows.map(({ pos }) => pos)
  const found = await store.lookup({ table: tx, key: ['pos'], select: ['created_id'] }, [positions])
  return new Map(
    positions.flatMap((pos, at) => {
      const id = found[at]?.[0]
      return typeof id === 'number' ? [[pos, id] as const] : []
    }),
  )
}
