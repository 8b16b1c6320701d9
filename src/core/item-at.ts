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
