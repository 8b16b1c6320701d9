/**
 * Number of heights in a good batch, by the size of blocks and the number of waiting batches:
 * sorted rows are cheaper to write the more there are, and memory bounds them.
 */

/** Heights to fetch next. */
export type BatchSize = {
  readonly heights: () => number
  /** Tells what a fetch gave. */
  readonly saw: (blocks: readonly { readonly bytes: Uint8Array }[]) => void
}

// Some 22,000 transactions, as columns about as large again until they are stored: an eighth of them
// took 1.5 times as long to store, for a tree's pages are written more often.
const goodBytes = 2 ** 23
const firstHeights = 256
const fewestHeights = 16
// Small blocks cost something each, whatever is in them: with three times as many, a chain of stakes
// and rewards was replayed no faster and took 85 MiB more.
const mostHeights = 4_096

/**
 * Batches that may be replayed and not stored: a store's log is written back every few of them, and
 * with one the other thread would wait meanwhile.
 */
export const mostAhead = 2

/** A size that follows the blocks, at most doubling at a time. */
export function newBatchSize(): BatchSize {
  let heights = firstHeights
  return {
    heights: () => heights,
    saw: (blocks) => {
      let bytes = 0
      for (const block of blocks) bytes += block.bytes.length
      if (bytes === 0) return
      const good = Math.floor((goodBytes * blocks.length) / bytes)
      heights = Math.max(fewestHeights, Math.min(good, 2 * heights, mostHeights))
    },
  }
}

/** Something of a chain by its bytes. */
type Sized = { readonly bytes: Uint8Array }

// Blocks after small ones may be as large as they can be: 128 MiB of these at most.
const partHeights = 1_024

/**
 * Fetches heights `[from, until)` part by part, and no more of them once there is enough for a
 * batch: blocks may have grown since their number was chosen.
 */
export async function fetchEnough<T extends Sized>(
  { from, until }: { readonly from: number; readonly until: number },
  fetch: (part: { readonly from: number; readonly until: number }) => Promise<readonly T[]>,
): Promise<T[]> {
  const found: T[] = []
  let bytes = 0
  for (let at = from; at < until && bytes < goodBytes; at += partHeights) {
    for (const one of await fetch({ from: at, until: Math.min(until, at + partHeights) })) {
      found.push(one)
      bytes += one.bytes.length
    }
  }
  return found
}
