/** Writes the lists of UTXOs of addresses: entries are made open, and move when they are spent. */

import type { Column, Columns, Writer } from '../../store/engine/database.ts'
import { kindOf, listOf, maxAmount, packTraits } from '../../store/schema/primary-holding.ts'
import { openHolding, spentHolding } from '../../store/schema/primary-ledger.ts'
import type { ChainName, KnownUtxo, RowBatch } from './rows.ts'
import { inOrder, sortedOrder } from './sorted-order.ts'
import type { Numbers } from './store-numbers.ts'

/** Numbers entries are written with. */
export type HoldingNumbers = { readonly addresses: Numbers; readonly assets: Numbers }

/** What an entry is made of; `spentAt` in Unix seconds. */
type Held = { readonly utxo: KnownUtxo; readonly spentAt: number }

/** Writes the lists as a batch leaves them. */
export async function writeHoldings(
  writer: Writer,
  batch: RowBatch,
  numbers: HoldingNumbers,
): Promise<void> {
  const made: Held[] = []
  const spent: Held[] = []
  for (const utxo of batch.utxos) {
    if (utxo.consumed === undefined) made.push({ utxo, spentAt: 0 })
    else spent.push({ utxo, spentAt: utxo.consumed.time })
  }
  const moved = batch.consumptions.map(({ utxo, consumed }) => ({ utxo, spentAt: consumed.time }))
  await writer.insert(openHolding, entriesOf(made, numbers).columns)
  await writer.remove(openHolding, entriesOf(moved, numbers).keys)
  const { columns, times } = entriesOf([...spent, ...moved], numbers)
  await writer.insert(spentHolding, { ...columns, spent_at: times })
}

type Entries = { readonly keys: Columns; readonly columns: Columns; readonly times: Column }

/** Entries of all lists the UTXOs stand in, in the order of their key. */
function entriesOf(held: readonly Held[], numbers: HoldingNumbers): Entries {
  const lists: number[] = []
  const of: number[] = []
  for (let at = 0; at < held.length; at++) {
    const utxo = held[at]?.utxo
    if (utxo === undefined) continue
    for (const list of listsOf(utxo, numbers.addresses)) {
      lists.push(list)
      of.push(at)
    }
  }
  const traits = held.map(({ utxo }) => traitsOf(utxo, numbers.assets))
  const order = sortedOrder(lists)
  const rows = inOrder(of, order)
  const byRow = (values: readonly number[]): Column => Array.from(rows, (at) => values[at] ?? 0)
  const keys = {
    list: inOrder(lists, order),
    created_at: byRow(held.map(({ utxo }) => utxo.createdTime)),
    utxo: byRow(held.map(({ utxo }) => utxo.number)),
  }
  const amounts = held.map(({ utxo }) => storedAmount(utxo.amount))
  const amount = Array.from(rows, (at) => amounts[at] ?? 0)
  const times = byRow(held.map(({ spentAt }) => spentAt))
  return { keys, columns: { ...keys, amount, traits: byRow(traits) }, times }
}

/** The lists a UTXO stands in: of its chain, and of the chain it can go to, for each owner once. */
function listsOf(utxo: KnownUtxo, addresses: Numbers): readonly number[] {
  const { createdOn, consumableOn, owner } = utxo
  const places: readonly ChainName[] =
    createdOn === consumableOn ? [createdOn] : [createdOn, consumableOn]
  const lists: number[] = []
  for (const address of owner.addresses) {
    const id = addresses.of(address)
    for (const place of places) lists.push(listOf(id, place))
  }
  return owner.addresses.length > 1 ? [...new Set(lists)] : lists
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
