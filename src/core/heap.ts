/** A binary min-heap. Entries may go stale; who pops them knows. */

/** Entries with the least one first. */
export type Heap<T> = { readonly items: T[]; readonly compare: (a: T, b: T) => number }

/** An empty heap. */
export function newHeap<T>(compare: (a: T, b: T) => number): Heap<T> {
  return { items: [], compare }
}

/** Adds an entry. O(log n). */
export function pushHeap<T>(heap: Heap<T>, item: T): void {
  const { items, compare } = heap
  let at = items.length
  items.push(item)
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = items[parent]
    if (above === undefined || compare(item, above) >= 0) break
    items[at] = above
    at = parent
  }
  items[at] = item
}

/** Takes the least entry away. O(log n). */
export function popHeap<T>(heap: Heap<T>): T | undefined {
  const { items, compare } = heap
  const [least] = items
  const last = items.pop()
  if (last !== undefined && items.length > 0) sink(items, last, compare)
  return least
}

/** Puts the least entry in its place after it grew. O(log n). */
export function settleTop<T>({ items, compare }: Heap<T>): void {
  const [top] = items
  if (top !== undefined) sink(items, top, compare)
}

/** Puts `item` where it belongs, from the top of a heap whose top is free. */
function sink<T>(items: T[], item: T, compare: (a: T, b: T) => number): void {
  let at = 0
  for (;;) {
    let child = at * 2 + 1
    let below = items[child]
    if (below === undefined) break
    const other = items[child + 1]
    if (other !== undefined && compare(other, below) < 0) {
      child++
      below = other
    }
    if (compare(below, item) >= 0) break
    items[at] = below
    at = child
  }
  items[at] = item
}

/** The least entry `isLive` accepts; stale ones before it are dropped. */
export function peekHeap<T>(heap: Heap<T>, isLive: (item: T) => boolean): T | undefined {
  for (;;) {
    const [least] = heap.items
    if (least === undefined || isLive(least)) return least
    popHeap(heap)
  }
}
