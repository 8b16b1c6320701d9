/** Writes the lists of UTXOs of addresses: entries are made open, and move when they are spent. */

import { Doubles } from '../../core/growing.ts'
import type { Column, Columns, Writer } from '../../store/engine/database.ts'
import { listOfNumber, maxAmount } from '../../store/schema/primary-holding.ts'
import { openHolding, spentHolding } from '../../store/schema/primary-ledger.ts'
import { radixOrder } from '../radix-order.ts'
import type { Held } from './ledger.ts'
import type { RowBatch } from './rows.ts'

/** Entries of lists, by the UTXOs' rows in one of two sets of columns. */
type Entries = { readonly list: Doubles; readonly row: Doubles }

/** Writes the lists as a batch leaves them; `owners` are numbers of addresses by place. */
export async function writeHoldings(
  writer: Writer,
  { ledger }: RowBatch,
  owners: Float64Array,
): Promise<void> {
  const { made, spent } = ledger
  const open = newEntries(made.count)
  addEntries(open, made, owners, { from: 0, isSpent: false })
  await writer.insert(openHolding, columnsOf(open, made, spent).columns)
  const moved = newEntries(spent.count)
  addEntries(moved, spent, owners, { from: made.count, isSpent: true })
  await writer.remove(openHolding, columnsOf(moved, made, spent).keys)
  // Those of earlier batches join what was made and spent in this one.
  addEntries(moved, made, owners, { from: 0, isSpent: true })
  const { columns, spentAt } = columnsOf(moved, made, spent)
  await writer.insert(spentHolding, { ...columns, spent_at: spentAt })
}

function newEntries(rows: number): Entries {
  return { list: new Doubles(rows), row: new Doubles(rows) }
}

/** For each owner an entry in the list of its chain, and in that of the chain it can go to. */
function addEntries(
  entries: Entries,
  held: Held,
  owners: Float64Array,
  { from, isSpent }: { readonly from: number; readonly isSpent: boolean },
): void {
  const { places, until } = held.owners
  for (let row = 0, at = 0; row < held.count; row++) {
    const end = until[row] ?? 0
    if ((held.spentPos[row] ?? 0) > 0 !== isSpent) {
      at = end
      continue
    }
    const made = held.createdOn[row] ?? 0
    const consumable = held.consumableOn[row] ?? 0
    for (; at < end; at++) {
      const owner = owners[places[at] ?? 0] ?? 0
      entries.list.push(listOfNumber(owner, made))
      entries.row.push(from + row)
      if (consumable === made) continue
      entries.list.push(listOfNumber(owner, consumable))
      entries.row.push(from + row)
    }
  }
}

/** Columns of entries in the order of their key. Rows from `made.count` on are those of `spent`. */
function columnsOf(
  entries: Entries,
  made: Held,
  spent: Held,
): { readonly keys: Columns; readonly columns: Columns; readonly spentAt: Column } {
  const lists = entries.list.taken()
  const rows = entries.row.taken()
  // Close to the order of the key, whose later columns follow the rows' order but for early ones.
  const order = radixOrder(lists)
  const { length } = order
  const list = new Float64Array(length)
  const createdAt = new Float64Array(length)
  const numbers = new Float64Array(length)
  const traits = new Float64Array(length)
  const spentAt = new Float64Array(length)
  const amounts: (number | bigint)[] = []
  for (let at = 0; at < length; at++) {
    const entry = order[at] ?? 0
    const row = rows[entry] ?? 0
    const held = row < made.count ? made : spent
    const one = row < made.count ? row : row - made.count
    list[at] = lists[entry] ?? 0
    createdAt[at] = held.createdAt[one] ?? 0
    numbers[at] = held.number[one] ?? 0
    traits[at] = held.traits[one] ?? 0
    spentAt[at] = held.spentAt[one] ?? 0
    amounts.push(storedAmount(held.amount[one] ?? 0n))
  }
  const keys = { list, created_at: createdAt, utxo: numbers }
  return { keys, columns: { ...keys, amount: amounts, traits }, spentAt }
}

/** Smaller ones as numbers, which are cheaper to hand over. */
function storedAmount(amount: bigint): number | bigint {
  if (amount > maxAmount) return maxAmount
  const number = Number(amount)
  return number <= Number.MAX_SAFE_INTEGER ? number : amount
}
