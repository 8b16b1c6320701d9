/** Writes the lists of UTXOs of addresses: entries are made open, and move when they are spent. */

import type { Column, Columns, Writer } from '../../store/engine/database.ts'
import { kindOf, listOf, maxAmount, packTraits } from '../../store/schema/primary-holding.ts'
import { openHolding, spentHolding } from '../../store/schema/primary-ledger.ts'
import type { KnownUtxo } from './ledger-rows.ts'
import type { RowBatch } from './rows.ts'
import { inOrder, sortedOrder } from './sorted-order.ts'
import type { Numbers } from './store-numbers.ts'
import type { OwnerNumbers } from './store-owners.ts'

/** Numbers entries are written with. */
export type HoldingNumbers = { readonly owners: OwnerNumbers; readonly assets: Numbers }

/** UTXOs whose entries are written, whose they are by number, and when they were spent. */
type Held = {
  readonly utxos: KnownUtxo[]
  readonly owners: (readonly number[])[]
  readonly times: number[]
}

/** Writes the lists as a batch leaves them. */
export async function writeHoldings(
  writer: Writer,
  batch: RowBatch,
  { owners, assets }: HoldingNumbers,
): Promise<void> {
  const made: Held = { utxos: [], owners: [], times: [] }
  const spent: Held = { utxos: [], owners: [], times: [] }
  const moved: Held = { utxos: [], owners: [], times: [] }
  const hold = (to: Held, utxo: KnownUtxo, of: readonly number[], time: number): void => {
    to.utxos.push(utxo)
    to.owners.push(of)
    to.times.push(time)
  }
  for (let at = 0; at < batch.utxos.length; at++) {
    const utxo = batch.utxos[at]
    const of = owners.utxos[at] ?? []
    if (utxo === undefined) continue
    if (utxo.consumed === undefined) hold(made, utxo, of, 0)
    else hold(spent, utxo, of, utxo.consumed.time)
  }
  for (let at = 0; at < batch.consumptions.length; at++) {
    const row = batch.consumptions[at]
    const of = owners.consumptions[at] ?? []
    if (row === undefined) continue
    hold(moved, row.utxo, of, row.consumed.time)
    hold(spent, row.utxo, of, row.consumed.time)
  }
  await writer.insert(openHolding, entriesOf(made, assets).columns)
  await writer.remove(openHolding, entriesOf(moved, assets).keys)
  const { columns, times } = entriesOf(spent, assets)
  await writer.insert(spentHolding, { ...columns, spent_at: times })
}

type Entries = { readonly keys: Columns; readonly columns: Columns; readonly times: Column }

/**
 * Entries of all lists the UTXOs stand in, in the order of their key: for each owner the list of
 * its chain, and that of the chain it can go to.
 */
function entriesOf(held: Held, assets: Numbers): Entries {
  const lists: number[] = []
  const of: number[] = []
  for (let at = 0; at < held.utxos.length; at++) {
    const utxo = held.utxos[at]
    if (utxo === undefined) continue
    for (const owner of held.owners[at] ?? []) {
      lists.push(listOf(owner, utxo.createdOn))
      of.push(at)
      if (utxo.consumableOn === utxo.createdOn) continue
      lists.push(listOf(owner, utxo.consumableOn))
      of.push(at)
    }
  }
  const order = sortedOrder(lists)
  const rows = inOrder(of, order)
  const { length } = rows
  const createdAt = new Float64Array(length)
  const numbers = new Float64Array(length)
  const traits = new Float64Array(length)
  const amount: (number | bigint)[] = []
  for (let at = 0; at < length; at++) {
    const utxo = held.utxos[rows[at] ?? -1]
    if (utxo === undefined) continue
    createdAt[at] = utxo.createdTime
    numbers[at] = utxo.number
    amount.push(storedAmount(utxo.amount))
    traits[at] = traitsOf(utxo, assets)
  }
  const keys = { list: inOrder(lists, order), created_at: createdAt, utxo: numbers }
  return { keys, columns: { ...keys, amount, traits }, times: inOrder(held.times, rows) }
}

function traitsOf(utxo: KnownUtxo, assets: Numbers): number {
  const asset = assets.of(utxo.assetId)
  return packTraits({ asset, kind: kindOf(utxo), needed: utxo.owner.threshold })
}

/** Smaller ones as numbers, which are cheaper to hand over. */
function storedAmount(amount: bigint): number | bigint {
  if (amount > maxAmount) return maxAmount
  const number = Number(amount)
  return number <= Number.MAX_SAFE_INTEGER ? number : amount
}
