/** Numbers of the addresses a batch is about, each found once. */

import type { Writer } from '../../store/engine/database.ts'
import { addressStride, type LedgerColumns, type OwnerLists } from './ledger.ts'
import type { RowBatch } from './rows.ts'
import type { Numbers } from './store-numbers.ts'
import { addressesOfStaker } from './store-stakers.ts'

/**
 * Numbers of the addresses of `batch.ledger`, by place; `addresses.of` knows those of its other
 * rows.
 */
export async function numberOwners(
  writer: Writer,
  batch: RowBatch,
  addresses: Numbers,
): Promise<Float64Array> {
  const keys = keysOf(batch.ledger)
  for (const { utxo } of batch.importCompletions) keys.push(...utxo.addresses)
  for (const row of batch.stakers) keys.push(...addressesOfStaker(row))
  for (const row of batch.rewards) keys.push(...row.addresses)
  return addresses.numberAll(writer, keys)
}

/** Keys of addresses: an EVM account's begins with its zero byte, as spaces are separate. */
function keysOf({ addresses }: LedgerColumns): Uint8Array[] {
  const keys: Uint8Array[] = []
  for (let from = 0; from < addresses.length; from += addressStride) {
    keys.push(addresses.subarray(from + (addresses[from] ?? 0), from + addressStride))
  }
  return keys
}

/** An entry for each owner of each row: its number, and the row. */
export type OwnerEntries = { readonly owner: Float64Array; readonly row: Uint32Array }

/** Entries of lists of owners. */
export function ownerEntries({ places, until }: OwnerLists, numbers: Float64Array): OwnerEntries {
  const owner = new Float64Array(places.length)
  const row = new Uint32Array(places.length)
  for (let at = 0, one = 0; one < until.length; one++) {
    for (const end = until[one] ?? 0; at < end; at++) {
      owner[at] = numbers[places[at] ?? 0] ?? 0
      row[at] = one
    }
  }
  return { owner, row }
}
