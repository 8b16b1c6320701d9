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

/** What entries are made of: whose they are by number, and when they were spent, Unix seconds. */
type Held = {
  readonly utxo: KnownUtxo
  readonly owners: readonly number[]
  readonly spentAt: number
}

/** Writes the lists as a batch leaves them. */
export async function writeHoldings(
  writer: Writer,
  batch: RowBatch,
  { owners, assets }: HoldingNumbers,
): Promise<void> {
  const made: Held[] = []
  const spent: Held[] = []
  for (const [at, utxo] of batch.utxos.entries()) {
    const held = { utxo, owners: owners.utxos[at] ?? [], spentAt: utxo.consumed?.time ?? 0 }
    if (utxo.consumed === undefined) made.push(held)
    else spent.push(held)
  }
  const moved = batch.consumptions.map(({ utxo, consumed }, at) => ({
    utxo,
    owners: owners.consumptions[at] ?? [],
    spentAt: consumed.time,
  }))
  await writer.insert(openHolding, entriesOf(made, assets).columns)
  await writer.remove(openHolding, entriesOf(moved, assets).keys)
  const { columns, times } = entriesOf([...spent, ...moved], assets)
  await writer.insert(spentHolding, { ...columns, spent_at: times })
}

type Entries = { readonly keys: Columns; readonly columns: Columns; readonly times: Column }

/** Entries of all lists the UTXOs stand in, in the order of their key. */
function entriesOf(held: readonly Held[], assets: Numbers): Entries {
  const lists: number[] = []
  const of: Held[] = []
  for (const one of held) {
    for (const list of listsOf(one)) {
      lists.push(list)
      of.push(one)
    }
  }
  const order = sortedOrder(lists)
  const { length } = order
  const createdAt = new Float64Array(length)
  const numbers = new Float64Array(length)
  const traits = new Float64Array(length)
  const times = new Float64Array(length)
  const amount: (number | bigint)[] = []
  for (let at = 0; at < length; at++) {
    const one = of[order[at] ?? 0]
    if (one === undefined) continue
    const { utxo } = one
    createdAt[at] = utxo.createdTime
    numbers[at] = utxo.number
    amount.push(storedAmount(utxo.amount))
    traits[at] = traitsOf(utxo, assets)
    times[at] = one.spentAt
  }
  const keys = { list: inOrder(lists, order), created_at: createdAt, utxo: numbers }
  return { keys, columns: { ...keys, amount, traits }, times }
}

/** The lists a UTXO stands in: of its chain, and of the chain it can go to, for each owner once. */
function listsOf({ utxo, owners }: Held): Iterable<number> {
  const { createdOn, consumableOn } = utxo
  const lists: number[] = []
  for (const owner of owners) {
    lists.push(listOf(owner, createdOn))
    if (consumableOn !== createdOn) lists.push(listOf(owner, consumableOn))
  }
  return owners.length > 1 ? new Set(lists) : lists
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
