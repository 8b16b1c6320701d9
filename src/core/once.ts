/** Gives what `make` makes at the first call, at every call: a value that not every process needs. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
