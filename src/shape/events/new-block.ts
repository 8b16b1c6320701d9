/** A block as it passes by. `blockchainId` is that of a chain of the primary network: `p-chain`. */
export type NewBlock = {
  readonly network: string
  readonly chainId?: string
  readonly blockchainId?: string
  readonly name: string
  readonly blockNumber: string
  /** Unix seconds. */
  readonly blockTimestamp: number
  readonly txCount: number
  /** Present on the newest block of a chain of development whose later blocks are gone. */
  readonly beganAnew?: true
}

/**
 * The newest `most` of blocks seen before and of newer ones, newest first. Of a chain that began anew
 * those from before are gone.
 */
export function joinedBlocks(
  before: readonly NewBlock[],
  newer: readonly NewBlock[],
  most: number,
): readonly NewBlock[] {
  const anew = new Set(newer.filter(({ beganAnew }) => beganAnew).map(chainOf))
  const all = [...before.filter((block) => !anew.has(chainOf(block))), ...newer]
  return [...new Map(all.map((block) => [blockKey(block), block])).values()]
    .toSorted((a, b) => b.blockTimestamp - a.blockTimestamp)
    .slice(0, most)
}

/** Distinguishes a block from all others. */
export function blockKey(block: NewBlock): string {
  return `${chainOf(block)} ${block.blockNumber}`
}

function chainOf({ network, chainId, blockchainId }: NewBlock): string {
  return chainId ?? `${network} ${blockchainId}`
}
