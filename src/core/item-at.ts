/**
 * Items at places that exist.
 *
 * A place that does not exist is our bug, and throws. There is one function for each kind of
 * memory: V8 learns what a function meets by its place in the source, so that each of these is
 * compiled for one kind and costs nothing where the place exists.
 */

/** Item of a list. */
export function itemAt<T>(list: ArrayLike<T>, place: number): T {
  const item = list[place]
  if (item === undefined) throw missing(place, list.length)
  return item
}

/** Byte of a byte string. */
export function u8At(bytes: Uint8Array, place: number): number {
  const item = bytes[place]
  if (item === undefined) throw missing(place, bytes.length)
  return item
}

/** Number of a column of 32-bit integers. */
export function u32At(words: Uint32Array, place: number): number {
  const item = words[place]
  if (item === undefined) throw missing(place, words.length)
  return item
}

/** Number of a column of signed 32-bit integers. */
export function i32At(words: Int32Array, place: number): number {
  const item = words[place]
  if (item === undefined) throw missing(place, words.length)
  return item
}

/** Number of a column of doubles. */
export function f64At(doubles: Float64Array, place: number): number {
  const item = doubles[place]
  if (item === undefined) throw missing(place, doubles.length)
  return item
}

/** Integer of a column of unsigned 64-bit integers. */
export function u64At(bigs: BigUint64Array, place: number): bigint {
  const item = bigs[place]
  if (item === undefined) throw missing(place, bigs.length)
  return item
}

function missing(place: number, length: number): Error {
  return new Error(`broken invariant: place ${place} is one of ${length}`)
}

/** Turns counts into places, in the same memory: each becomes the sum of those before it. */
export function countsToPlaces(counts: Uint32Array): void {
  let before = 0
  for (let at = 0; at < counts.length; at++) {
    const count = u32At(counts, at)
    counts[at] = before
    before += count
  }
}

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

/** Removes the least entry. O(log n). */
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
