/**
 * Several ordered lists as one, without reading more of any than the page needs.
 *
 * Cost: one seek per list, then about as many rows as come out. Rows that several lists share are
 * neighbours in the merged order and come out once.
 */

import { newHeap, popHeap, pushHeap, settleTop, itemAt } from '../../../core/item-at.ts'
import type { Reader, Row, Statement, Value } from '../../engine/database.ts'

/** Lists to merge. `L` names a list, `R` is a row. */
export type Lists<L, R> = {
  readonly lists: readonly L[]
  /** Rows of `list` strictly after `after` in order, at most `limit`. */
  readonly read: (
    list: L,
    after: R | undefined,
    limit: number,
  ) => readonly R[] | Promise<readonly R[]>
  /** Below 0 when `a` comes first; 0 for the same thing in two lists. */
  readonly compare: (a: R, b: R) => number
  /** Returns whether a row found in `times` lists belongs to the answer. */
  readonly accepts: (row: R, times: number) => boolean
  readonly limit: number
}

/** A page of rows by owners or nodes; both given: of these owners on these nodes. */
export type OwnerPage = {
  /** Numbers. */
  readonly addresses?: readonly number[] | undefined
  readonly nodes?: readonly number[] | undefined
  readonly order: 'asc' | 'desc'
  readonly after: number | undefined
  readonly limit: number
}

/** Statements of a list in both directions; each takes the list, a place and a limit. */
export type BothOrders = { readonly asc: Statement; readonly desc: Statement }

/** Reader of rows of {@link OwnerPage}; `L` names a list besides its numbers. */
export type OwnerLists<R, L> = {
  readonly lists: readonly L[]
  readonly question: BothOrders
  readonly read: (row: Row) => R
  /** The place of a row in its list. */
  readonly placeOf: (row: R) => number
  readonly accepts: (row: R) => boolean
}

/** The rows of a page. With owners and nodes, only those of these nodes. */
export function mergeOwnerLists<R extends { readonly node: number }, L extends Value>(
  reader: Reader,
  query: OwnerPage,
  { lists, question, read, placeOf, accepts }: OwnerLists<R, L>,
): Promise<R[]> {
  const { nodes, order, limit } = query
  const wanted = nodes === undefined ? undefined : new Set(nodes)
  const start = query.after ?? (order === 'asc' ? -1 : Number.MAX_SAFE_INTEGER)
  const sign = order === 'asc' ? 1 : -1
  return mergeLists<L, R>({
    lists,
    limit,
    compare: (a, b) => sign * (placeOf(a) - placeOf(b)),
    accepts: (row) => accepts(row) && (wanted === undefined || wanted.has(row.node)),
    read: async (list, after, most) => {
      const from = after === undefined ? start : placeOf(after)
      return (await reader.all(question[order], [list, from, most])).map(read)
    },
  })
}

type Head<L, R> = { readonly list: L; rows: readonly R[]; at: number; size: number }

const leastRead = 4

/** The first `limit` rows of all lists together. */
export async function mergeLists<L, R>(merge: Lists<L, R>): Promise<R[]> {
  const { lists, limit } = merge
  const share = lists.length === 1 ? limit : Math.ceil((2 * limit) / lists.length)
  const size = Math.max(leastRead, share)
  const heads: Head<L, R>[] = await Promise.all(
    lists.map(async (list) => ({
      list,
      rows: await merge.read(list, undefined, size),
      at: 0,
      size,
    })),
  )
  const heap = newHeap<Head<L, R>>((a, b) => merge.compare(rowOf(a), rowOf(b)))
  for (const head of heads) if (head.rows.length > 0) pushHeap(heap, head)
  const found: R[] = []
  while (found.length < limit) {
    const [first] = heap.items
    if (first === undefined) break
    const row = rowOf(first)
    let times = 0
    for (let [top] = heap.items; top !== undefined; [top] = heap.items) {
      if (merge.compare(rowOf(top), row) !== 0) break
      times++
      if (await advance(top, merge)) settleTop(heap)
      else popHeap(heap)
    }
    if (merge.accepts(row, times)) found.push(row)
  }
  return found
}

function rowOf<L, R>({ rows, at }: Head<L, R>): R {
  return itemAt(rows, at)
}

/** Moves a list on by one row, reading more of it where needed; false at its end. */
async function advance<L, R>(head: Head<L, R>, merge: Lists<L, R>): Promise<boolean> {
  const last = rowOf(head)
  head.at++
  if (head.at >= head.rows.length && head.rows.length >= head.size) {
    head.size *= 2
    head.rows = await merge.read(head.list, last, head.size)
    head.at = 0
  }
  return head.at < head.rows.length
}
