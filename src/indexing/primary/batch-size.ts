/**
 * How many heights make a good batch, by how large blocks were: sorted rows are cheaper to write
 * the more there are, and memory bounds them.
 */

/** Heights to fetch next. */
export type BatchSize = {
  readonly heights: () => number
  /** Tells what a fetch gave. */
  readonly saw: (blocks: readonly { readonly bytes: Uint8Array }[]) => void
}

// Some 11,000 transactions, as columns about as large again until they are stored: a quarter of
// them took 1.4 times as long to store, for a tree's pages are written more often.
const goodBytes = 2 ** 22
const firstHeights = 256
const fewestHeights = 16
// Blocks may be as large as 128 KiB all at once.
const mostHeights = 16_384

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
