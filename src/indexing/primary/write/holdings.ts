/** Writes the lists of UTXOs of addresses: entries are made open, and move when they are spent. */

import { Doubles, Words } from '../../../core/growing.ts'
import { f64At, u32At, u64At } from '../../../core/item-at.ts'
import type { Writer } from '../../../store/engine/database.ts'
import { listOfNumber, maxAmount } from '../../../store/schema/primary/holding.ts'
import { openHolding, spentHolding } from '../../../store/schema/primary/ledger.ts'
import { gather, gatherWords, radixOrder } from '../../stream/radix-order.ts'
import type { Held, LedgerColumns } from '../batch/ledger.ts'
import type { OrderedLists } from './ordered-lists.ts'

/** Entries in the order of their key. */
type EntryColumns = {
  readonly columns: {
    readonly list: Float64Array
    readonly created_at: Float64Array
    readonly utxo: Float64Array
    readonly amount: Float64Array | readonly bigint[]
    readonly traits: Float64Array
  }
  readonly spentAt: Float64Array
}

/** Writes the lists as a batch leaves them; `owners` are numbers of addresses by place. */
export async function writeHoldings(
  writer: Writer,
  { made, spent }: Pick<LedgerColumns, 'made' | 'spent'>,
  { owners, ordered }: { readonly owners: Float64Array; readonly ordered: OrderedLists },
): Promise<void> {
  const open = entriesOf(made, owners, 'open')
  const flags = await ordered.flags(writer, open.columns.list)
  await writer.insert(openHolding, { ...open.columns, ordered: flags })
  const moved = entriesOf(spent, owners, 'spent')
  const { list, created_at, utxo, ...known } = moved.columns
  await writer.remove(openHolding, { list, created_at, utxo }, known)
  for (const { columns, spentAt } of [moved, entriesOf(made, owners, 'spent')]) {
    await writer.insert(spentHolding, { ...columns, spent_at: spentAt })
  }
  await ordered.settle(writer)
}

/** Entries of the rows of `held` that are open, or spent, after this batch. */
function entriesOf(held: Held, owners: Float64Array, state: 'open' | 'spent'): EntryColumns {
  const lists = new Doubles(held.count)
  const rows = new Words(held.count)
  const { places, until } = held.owners
  for (let row = 0, at = 0; row < held.count; row++) {
    const end = u32At(until, row)
    if (f64At(held.spentPos, row) > 0 !== (state === 'spent')) {
      at = end
      continue
    }
    // For each owner one in the list of its chain, and one in that of the chain it can go to.
    const made = u32At(held.createdOn, row)
    const consumable = u32At(held.consumableOn, row)
    for (; at < end; at++) {
      const owner = f64At(owners, u32At(places, at))
      lists.push(listOfNumber(owner, made))
      rows.push(row)
      if (consumable === made) continue
      lists.push(listOfNumber(owner, consumable))
      rows.push(row)
    }
  }
  return columnsOf(held, lists.taken(), rows.taken())
}

function columnsOf(held: Held, lists: Float64Array, places: Uint32Array): EntryColumns {
  // Close to the order of the key, whose later columns follow the rows' order but for early ones.
  const order = radixOrder(lists)
  const rows = gatherWords(places, order)
  const columns = {
    list: gather(lists, order),
    created_at: gather(held.createdAt, rows),
    utxo: gather(held.number, rows),
    amount: storedAmounts(held.amount, rows),
    traits: gather(held.traits, rows),
  }
  return { columns, spentAt: gather(held.spentAt, rows) }
}

/** Numbers where all are exact as such, since these are cheaper to hand over. */
function storedAmounts(
  amounts: BigUint64Array,
  rows: Uint32Array,
): Float64Array | readonly bigint[] {
  const numbers = new Float64Array(rows.length)
  let largest = 0
  for (let at = 0; at < rows.length; at++) {
    const amount = Number(u64At(amounts, u32At(rows, at)))
    numbers[at] = amount
    if (amount > largest) largest = amount
  }
  if (largest <= Number.MAX_SAFE_INTEGER) return numbers
  return Array.from(rows, (row) => {
    const amount = u64At(amounts, row)
    return amount > maxAmount ? maxAmount : amount
  })
}
