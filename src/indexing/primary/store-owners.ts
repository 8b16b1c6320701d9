/**
 * Numbers of the addresses a batch is about, each found once: of the owners of what it makes and
 * spends, and of what its transactions concern.
 */

import type { Writer } from '../../store/engine/database.ts'
import type { TransactionRow, UtxoRow } from './ledger-rows.ts'
import type { RowBatch } from './rows.ts'
import { evmAddressKey, type Numbers } from './store-numbers.ts'
import { addressesOfStaker } from './store-stakers.ts'

/** Numbers by row of the batch, each once. */
export type OwnerNumbers = {
  readonly utxos: readonly (readonly number[])[]
  readonly transactions: readonly (readonly number[])[]
  readonly consumptions: readonly (readonly number[])[]
}

/** Numbers all addresses of `batch`; `addresses.of` knows the rest of them. */
export async function numberOwners(
  writer: Writer,
  batch: RowBatch,
  addresses: Numbers,
): Promise<OwnerNumbers> {
  const keys: Uint8Array[] = []
  const utxos = batch.utxos.map(({ owner }) => placesOf(keys, owner.addresses))
  const made = { rows: batch.utxos, places: utxos }
  const transactions = batch.transactions.map((row) => placesOfTransaction(keys, row, made))
  const consumptions = batch.consumptions.map(({ utxo }) => placesOf(keys, utxo.owner.addresses))
  for (const { utxo } of batch.importCompletions) placesOf(keys, utxo.owner.addresses)
  for (const row of batch.stakers) placesOf(keys, addressesOfStaker(row))
  for (const row of batch.rewards) placesOf(keys, row.addresses)
  const numbers = await addresses.numberAll(writer, keys)
  for (const rows of [utxos, transactions, consumptions]) {
    for (const row of rows) resolve(row, numbers)
  }
  return { utxos, transactions, consumptions }
}

/** Turns places among the keys into their numbers. */
function resolve(row: number[], numbers: Float64Array): void {
  let kept = 0
  for (const place of row) {
    const number = numbers[place] ?? 0
    if (kept === 0 || row.lastIndexOf(number, kept - 1) === -1) row[kept++] = number
  }
  row.length = kept
}

function placesOf(keys: Uint8Array[], addresses: readonly Uint8Array[]): number[] {
  const places: number[] = []
  for (const address of addresses) places.push(keys.push(address) - 1)
  return places
}

// Comparing with this many is cheaper than finding the number again.
const fewUtxos = 8

type Made = { readonly rows: readonly UtxoRow[]; readonly places: readonly number[][] }

/** Most addresses of a transaction are, as the same arrays, those of the UTXOs it made. */
function placesOfTransaction(keys: Uint8Array[], row: TransactionRow, made: Made): number[] {
  const first = row.firstUtxo - (made.rows[0]?.number ?? 0)
  const places: number[] = []
  for (const address of row.addresses) {
    let place = -1
    const until = first + Math.min(row.utxoCount, fewUtxos)
    for (let at = first; at < until && place === -1; at++) {
      const among = made.rows[at]?.owner.addresses.indexOf(address) ?? -1
      if (among !== -1) place = made.places[at]?.[among] ?? -1
    }
    places.push(place === -1 ? keys.push(address) - 1 : place)
  }
  for (const account of row.evmAddresses) places.push(keys.push(evmAddressKey(account)) - 1)
  return places
}
