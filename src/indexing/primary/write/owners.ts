/** Numbers of the addresses a batch is about, each found once. */

import { f64At, u32At, u8At } from '../../../core/item-at.ts'
import type { Writer } from '../../../store/engine/database.ts'
import { addressStride, type LedgerColumns, type OwnerLists } from '../batch/ledger.ts'
import type { RowBatch } from '../batch/rows.ts'
import { type Keys, keysIn, type Numbers } from './numbers.ts'

/**
 * Numbers of the addresses of `batch.ledger`, by place; `addresses.of` knows those of its other
 * rows.
 */
export async function numberOwners(
  writer: Writer,
  batch: RowBatch,
  addresses: Numbers,
): Promise<Float64Array> {
  const numbers = await addresses.numberAll(writer, keysOf(batch.ledger))
  const others = [
    ...batch.importCompletions.flatMap(({ utxo }) => utxo.addresses),
    ...batch.rewards.flatMap((row) => row.addresses),
  ]
  await addresses.numberAll(writer, keysIn(others))
  return numbers
}

/** Keys of addresses: an EVM account's begins with its zero byte, as spaces are separate. */
function keysOf({ addresses: bytes }: LedgerColumns): Keys {
  const from = new Uint32Array(bytes.length / addressStride)
  const until = new Uint32Array(from.length)
  for (let at = 0; at < from.length; at++) {
    const first = at * addressStride
    from[at] = first + u8At(bytes, first)
    until[at] = first + addressStride
  }
  return { bytes, from, until }
}

/** An entry for each owner of each row: its number, and the row. */
export type OwnerEntries = { readonly owner: Float64Array; readonly row: Uint32Array }

/** Entries of lists of owners. */
export function ownerEntries({ places, until }: OwnerLists, numbers: Float64Array): OwnerEntries {
  const owner = new Float64Array(places.length)
  const row = new Uint32Array(places.length)
  for (let at = 0, one = 0; one < until.length; one++) {
    for (const end = u32At(until, one); at < end; at++) {
      owner[at] = f64At(numbers, u32At(places, at))
      row[at] = one
    }
  }
  return { owner, row }
}
