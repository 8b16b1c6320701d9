import type { Clock } from './world.ts'

/**
 * Reads like `read`, but once for all who ask within `forMs` milliseconds: they get what was asked
 * first. A reading that failed is not kept.
 */
export function recently<T>(
  read: () => Promise<T>,
  { clock, forMs }: { readonly clock: Clock; readonly forMs: number },
): () => Promise<T> {
  let last: { readonly askedMs: number; readonly value: Promise<T> } | undefined
  return () => {
    const askedMs = clock.monotonic()
    if (last !== undefined && askedMs - last.askedMs < forMs) return last.value
    const value = read()
    const reading = { askedMs, value }
    last = reading
    value.catch(() => {
      if (last === reading) last = undefined
    })
    return value
  }
}
