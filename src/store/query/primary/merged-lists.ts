/**
 * Several ordered lists as one, without reading more of any than the page needs.
 *
 * Cost: one seek per list, then about as many rows as come out. Rows that several lists share are
 * neighbours in the merged order and come out once.
 */

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
  readonly addresses?: readonly number[]
  readonly nodes?: readonly number[]
  readonly order: 'asc' | 'desc'
  readonly after: number | undefined
  readonly limit: number
}

/** Statements of a list in both directions; each takes the list, a place and a limit. */
export type BothOrders = { readonly asc: Statement; readonly desc: Statement }

/** How rows of {@link OwnerPage} are read; `L` is what lists are named by besides numbers. */
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

type Head<L, R> = { readonly list: L; rows: readonly R[]; at: number; asked: number }

const leastRead = 4

/** The first `limit` rows of all lists together. */
export async function mergeLists<L, R>(merge: Lists<L, R>): Promise<R[]> {
  const { lists, limit } = merge
  const share = lists.length === 1 ? limit : Math.ceil((2 * limit) / lists.length)
  const asked = Math.max(leastRead, share)
  const heads: Head<L, R>[] = await Promise.all(
    lists.map(async (list) => ({
      list,
      rows: await merge.read(list, undefined, asked),
      at: 0,
      asked,
    })),
  )
  const heap: Head<L, R>[] = []
  for (const head of heads) if (head.rows.length > 0) push(heap, head, merge.compare)
  const found: R[] = []
  while (heap.length > 0 && found.length < limit) {
    const first = heap[0]
    const row = first === undefined ? undefined : first.rows[first.at]
    if (row === undefined) break
    let times = 0
    while (sameAtTop(heap, row, merge.compare)) {
      times++
      await advance(heap, merge)
    }
    if (merge.accepts(row, times)) found.push(row)
  }
  return found
}

function sameAtTop<L, R>(
  heap: readonly Head<L, R>[],
  row: R,
  compare: (a: R, b: R) => number,
): boolean {
  const top = heap[0]
  const other = top?.rows[top.at]
  return other !== undefined && compare(other, row) === 0
}

/** Moves the first list on by one row, reading more of it where needed. */
async function advance<L, R>(heap: Head<L, R>[], merge: Lists<L, R>): Promise<void> {
  const top = heap[0]
  if (top === undefined) return
  const last = top.rows[top.at]
  top.at++
  if (top.at >= top.rows.length && top.rows.length >= top.asked) {
    top.asked *= 2
    top.rows = await merge.read(top.list, last, top.asked)
    top.at = 0
  }
  if (top.at >= top.rows.length) {
    const end = heap.pop()
    if (end === undefined || heap.length === 0) return
    heap[0] = end
  }
  sink(heap, merge.compare)
}

function before<L, R>(
  a: Head<L, R> | undefined,
  b: Head<L, R> | undefined,
  compare: (a: R, b: R) => number,
): boolean {
  const left = a?.rows[a.at]
  const right = b?.rows[b.at]
  return left !== undefined && right !== undefined && compare(left, right) < 0
}

function swap<L, R>(heap: Head<L, R>[], a: number, b: number): void {
  const left = heap[a]
  const right = heap[b]
  if (left === undefined || right === undefined) return
  heap[a] = right
  heap[b] = left
}

function push<L, R>(heap: Head<L, R>[], head: Head<L, R>, compare: (a: R, b: R) => number): void {
  heap.push(head)
  let at = heap.length - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!before(heap[at], heap[parent], compare)) return
    swap(heap, at, parent)
    at = parent
  }
}

function sink<L, R>(heap: Head<L, R>[], compare: (a: R, b: R) => number): void {
  let at = 0
  for (;;) {
    const left = 2 * at + 1
    const child = before(heap[left + 1], heap[left], compare) ? left + 1 : left
    if (!before(heap[child], heap[at], compare)) return
    swap(heap, at, child)
    at = child
  }
}
