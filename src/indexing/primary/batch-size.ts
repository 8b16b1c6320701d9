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

// Some 2,800 transactions, 15 MB until they are stored. Four times as many were no faster and took
// 180 MiB more.
const goodBytes = 2 ** 20
const firstHeights = 256
const fewestHeights = 16
// Blocks may be as large as 128 KiB all at once.
const mostHeights = 4_096

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
