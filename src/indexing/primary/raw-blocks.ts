/** Blocks as they are kept, so that every row can be made again without a node. */

import type { BlockBytes, CBlock } from '../../source/primary/primary-source.ts'
import type { RawBlockBytes } from '../../store/query/primary/raw-blocks.ts'
import { cBlockBody, innerBlockBody } from '../../store/schema/primary-bodies.ts'
import { blockIdOf, chainNumbers } from '../../store/schema/primary-position.ts'

/** A P- or X-Chain block to keep. */
export function rawOfBlock(chain: 'P' | 'X', block: BlockBytes): RawBlockBytes {
  return { id: blockIdOf(chainNumbers[chain], block.height), bytes: innerBlockBody.toBytes(block) }
}

/** A P- or X-Chain block that was kept. */
export function blockOfRaw(height: number, raw: Uint8Array): BlockBytes {
  return { height, ...innerBlockBody.fromBytes(raw) }
}

/** A C-Chain block to keep: of its EVM transactions only their number. */
export function rawOfCBlock(block: CBlock): RawBlockBytes {
  return { id: blockIdOf(chainNumbers.C, block.height), bytes: cBlockBody.toBytes(block) }
}

/** A C-Chain block that was kept. */
export function cBlockOfRaw(height: number, raw: Uint8Array): CBlock {
  return { height, ...cBlockBody.fromBytes(raw) }
}

/** A transaction from before the X-Chain's blocks. */
export function rawOfEarly(height: number, transaction: Uint8Array): RawBlockBytes {
  return { id: blockIdOf(chainNumbers.X, height), bytes: transaction }
}
