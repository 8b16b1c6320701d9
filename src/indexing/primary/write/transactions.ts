/** Writes transactions and the lists of addresses they stand in. */

import { f64At, u32At, u8At } from '../../../core/item-at.ts'
import { cTypes, pTypes, xTypes } from '../../../core/type-ids.ts'
import { ByteColumn } from '../../../store/engine/byte-column.ts'
import type { Writer } from '../../../store/engine/database.ts'
import { tx, txByAddress, txById } from '../../../store/schema/primary/ledger.ts'
import { posOfPlace, prefixAt } from '../../../store/schema/primary/position.ts'
import { gather, gatherWords, radixOrder } from '../../stream/radix-order.ts'
import { type LedgerColumns, addressStride, type OwnerLists } from '../batch/ledger.ts'
import type { RowBatch } from '../batch/rows.ts'
import { type Numbers, keysIn } from './numbers.ts'

const idBytes = 32

/** Writes transactions in the order given; `owners` are numbers of addresses by place. */
export async function writeTransactions(
  writer: Writer,
  { transactions, arena }: LedgerColumns,
  owners: Float64Array,
): Promise<void> {
  const { count, pos, txId, type, body } = transactions
  await writer.insert(tx, {
    pos,
    tx_id: ByteColumn.ofWidth(txId, idBytes),
    body: new ByteColumn(arena, body, { count }),
  })
  const prefixes = new Float64Array(count)
  for (let at = 0; at < count; at++) prefixes[at] = prefixAt(txId, at * idBytes)
  const byId = radixOrder(prefixes)
  await writer.insert(txById, { prefix: gather(prefixes, byId), pos: gather(pos, byId) })
  const entries = ownerEntries(transactions.owners, owners)
  // The rows are in the order of their places, so that equal ids stay in the order of the key.
  const order = radixOrder(entries.owner)
  const rows = gatherWords(entries.row, order)
  await writer.insert(txByAddress, {
    address_id: gather(entries.owner, order),
    pos: gather(pos, rows),
    type: gather(type, rows),
  })
}

/** Adds the owners of exports that arrived late to the imports that spent them. */
export async function completeImports(
  writer: Writer,
  completions: RowBatch['importCompletions'],
  addresses: Numbers,
): Promise<void> {
  // Imports have one type id on each chain.
  const importTypes = { P: pTypes.ImportTx, X: xTypes.ImportTx, C: cTypes.ImportTx } as const
  const list = completions.flatMap(({ utxo, consumed }) =>
    utxo.addresses.map((one) => ({
      id: addresses.of(one),
      pos: posOfPlace(consumed),
      type: importTypes[consumed.chain],
    })),
  )
  const sorted = list.toSorted((a, b) => a.id - b.id || a.pos - b.pos)
  await writer.insertNew(txByAddress, {
    address_id: sorted.map(({ id }) => id),
    pos: sorted.map(({ pos }) => pos),
    type: sorted.map(({ type }) => type),
  })
}

/**
 * Numbers of the addresses of `batch.ledger`, by place; `addresses.of` knows those of its other
 * rows.
 */
export async function numberOwners(
  writer: Writer,
  batch: RowBatch,
  addresses: Numbers,
): Promise<Float64Array> {
  // The key of an EVM account begins with its zero byte, as spaces are separate.
  const { addresses: bytes } = batch.ledger
  const from = new Uint32Array(bytes.length / addressStride)
  const until = new Uint32Array(from.length)
  for (let at = 0; at < from.length; at++) {
    const first = at * addressStride
    from[at] = first + u8At(bytes, first)
    until[at] = first + addressStride
  }
  const numbers = await addresses.numberAll(writer, { bytes, from, until })
  const others = [
    ...batch.importCompletions.flatMap(({ utxo }) => utxo.addresses),
    ...batch.rewards.flatMap((row) => row.addresses),
  ]
  await addresses.numberAll(writer, keysIn(others))
  return numbers
}

/** An entry for each owner of each row: its number, and the row. */
type OwnerEntries = { readonly owner: Float64Array; readonly row: Uint32Array }

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
