/** Answers that never change, the least used dropped first, with a limit in bytes. */

/** A cache of texts by key. */
export type ReplyCache = {
  readonly get: (key: string) => string | undefined
  readonly set: (key: string, value: string) => void
  readonly sizeBytes: () => number
}

/** An empty cache. Keys and values count two bytes a character, as V8 may hold them. */
export function createReplyCache(maxBytes: number): ReplyCache {
  const held = new Map<string, string>()
  let size = 0
  // No single answer may push out more than a sixteenth of the others.
  const largest = maxBytes / 16

  function drop(key: string): void {
    const value = held.get(key)
    if (value === undefined) return
    held.delete(key)
    size -= weigh(key, value)
  }

  return {
    get: (key) => {
      const value = held.get(key)
      if (value === undefined) return undefined
      // Last in the map is used last.
      held.delete(key)
      held.set(key, value)
      return value
    },
    set: (key, value) => {
      const weight = weigh(key, value)
      if (weight > largest) return
      drop(key)
      held.set(key, value)
      size += weight
      for (const oldest of held.keys()) {
        if (size <= maxBytes) return
        drop(oldest)
      }
    },
    sizeBytes: () => size,
  }
}

function weigh(key: string, value: string): number {
  return 2 * (key.length + value.length)
}
