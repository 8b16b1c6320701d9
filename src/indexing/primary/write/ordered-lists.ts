/**
 * Lists of open UTXOs that are kept by amount, too: the long ones.
 *
 * Most addresses have a handful of UTXOs, which are sorted when they are read; keeping them in
 * order would be a fifth of what a transaction costs the store. A list that has grown long is put
 * in order once and kept so.
 */

import { f64At, u8At } from '../../../core/item-at.ts'
import { statement, type Writer } from '../../../store/engine/database.ts'
import { orderedList } from '../../../store/schema/primary/ledger.ts'

/** Entries of a list that are sorted on demand: pages of 64 such lists take 1 ms. */
const usualLongest = 16
// New entries are counted for each list or, beyond as many, for several together: a list is then
// looked at too often or a little later.
const counters = 2 ** 20

/** The lists that are ordered, as far as the store's transactions were committed. */
export type OrderedLists = {
  /** For each of `lists`, of entries about to be made, 1 when it is ordered. */
  readonly flags: (writer: Writer, lists: Float64Array) => Promise<Float64Array>
  /** Puts lists in order that have become long; entries of the batch are written. */
  readonly settle: (writer: Writer) => Promise<void>
}

const known = statement('select list from ordered_list')
const beyond = statement('select 1 from open_holding where list = ? limit 1 offset ?')
/** Puts a list of open UTXOs in order. */
export const putInOrder = statement('update open_holding set ordered = 1 where list = ?', {
  unsummed: true,
})

/** The ordered lists of a store; others become so beyond `longest` entries, or soon after. */
export function orderedLists(longest = usualLongest): OrderedLists {
  const added = new Uint8Array(counters)
  const grown = new Set<number>()
  let ordered: Set<number> | undefined

  const noteAdded = (list: number): void => {
    const counter = list % counters
    const count = u8At(added, counter) + 1
    added[counter] = count > longest ? 0 : count
    if (count > longest) grown.add(list)
  }

  const flags: OrderedLists['flags'] = async (writer, lists) => {
    ordered ??= new Set((await writer.all(known)).map(([list]) => list))
    const made = new Float64Array(lists.length)
    for (let at = 0; at < lists.length; at++) {
      const list = f64At(lists, at)
      if (ordered.has(list)) made[at] = 1
      else noteAdded(list)
    }
    return made
  }

  const settle: OrderedLists['settle'] = async (writer) => {
    const long: number[] = []
    for (const list of grown) {
      if ((await writer.get(beyond, [list, longest])) === undefined) continue
      await writer.run(putInOrder, [list])
      long.push(list)
    }
    grown.clear()
    for (const list of long) ordered?.add(list)
    await writer.insert(orderedList, { list: long })
  }

  return { flags, settle }
}
