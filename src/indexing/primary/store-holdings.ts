/** Writes the lists of UTXOs of addresses: entries are made open, and move when they are spent. */

import { Doubles, Words } from '../../core/growing.ts'
import type { Writer } from '../../store/engine/database.ts'
import { listOfNumber, maxAmount } from '../../store/schema/primary-holding.ts'
import { openHolding, spentHolding } from '../../store/schema/primary-ledger.ts'
import { gather, radixOrder } from '../radix-order.ts'
import type { Held, LedgerColumns } from './ledger.ts'
import type { RowBatch } from './rows.ts'
import type { OrderedLists } from './store-ordered.ts'

/** Entries of lists, by the UTXOs' rows in one of two sets of columns. */
type Entries = { readonly list: Doubles; readonly row: Doubles }

/** Entries in the order of their key; `moved` are the places of those of earlier batches. */
type EntryColumns = {
  readonly columns: {
    readonly list: Float64Array
    readonly created_at: Float64Array
    readonly utxo: Float64Array
    readonly amount: readonly (number | bigint)[]
    readonly traits: Float64Array
  }
  readonly spentAt: Float64Array
  readonly moved: Uint32Array
}

/** Writes the lists as a batch leaves them; `owners` are numbers of addresses by place. */
export async function writeHoldings(
  writer: Writer,
  { ledger }: RowBatch,
  { owners, ordered }: { readonly owners: Float64Array; readonly ordered: OrderedLists },
): Promise<void> {
  const { made, spent } = ledger
  const open = newEntries(made.count)
  addEntries(open, made, owners, { from: 0, isSpent: false })
  const entries = columnsOf(open, ledger).columns
  const flags = await ordered.flags(writer, entries.list)
  await writer.insert(openHolding, { ...entries, ordered: flags })
  const closed = newEntries(spent.count)
  addEntries(closed, made, owners, { from: 0, isSpent: true })
  addEntries(closed, spent, owners, { from: made.count, isSpent: true })
  const { columns, moved, spentAt } = columnsOf(closed, ledger)
  await writer.remove(openHolding, {
    list: gather(columns.list, moved),
    created_at: gather(columns.created_at, moved),
    utxo: gather(columns.utxo, moved),
  })
  await writer.insert(spentHolding, { ...columns, spent_at: spentAt })
  await ordered.settle(writer)
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

/** Columns of entries. Rows from `made.count` on are those of `spent`. */
function columnsOf(entries: Entries, { made, spent }: LedgerColumns): EntryColumns {
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
  const moved = new Words(length)
  for (let at = 0; at < length; at++) {
    const entry = order[at] ?? 0
    const row = rows[entry] ?? 0
    const isMoved = row >= made.count
    const held = isMoved ? spent : made
    const one = isMoved ? row - made.count : row
    if (isMoved) moved.push(at)
    list[at] = lists[entry] ?? 0
    createdAt[at] = held.createdAt[one] ?? 0
    numbers[at] = held.number[one] ?? 0
    traits[at] = held.traits[one] ?? 0
    spentAt[at] = held.spentAt[one] ?? 0
    amounts.push(storedAmount(held.amount[one] ?? 0n))
  }
  const columns = { list, created_at: createdAt, utxo: numbers, amount: amounts, traits }
  return { columns, moved: moved.taken(), spentAt }
}

/** Smaller ones as numbers, which are cheaper to hand over. */
function storedAmount(amount: bigint): number | bigint {
  if (amount > maxAmount) return maxAmount
  const number = Number(amount)
  return number <= Number.MAX_SAFE_INTEGER ? number : amount
}
