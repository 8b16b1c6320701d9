/** A range of blocks that one process read for another: its bytes, and the address to ask it at. */

import type { BlockBatch } from '../../../codec/evm/columns.ts'
import { Fault } from '../../../core/fault.ts'
import type { ChainIdentity, HeightRange } from '../../../source/evm-source.ts'
import type { BlocksPiece } from '../read/block-piece.ts'
import { toldBytes, toldValue } from '../tokens/told-bytes.ts'

/** Path that a reader answers. */
export const rangePath = '/v1/ranges'

/** The chain that is read, by what makes two of the same number different. */
export type RangeChain = Pick<ChainIdentity, 'chainId' | 'genesisHash'>

/** Path and query that ask for `range`. */
export function rangeQuery({ chainId, genesisHash }: RangeChain, range: HeightRange): string {
  const query = new URLSearchParams({
    chainId: String(chainId),
    genesis: genesisHash,
    from: String(range.from),
    until: String(range.until),
  })
  return `${rangePath}?${query.toString()}`
}

/** Bytes of a range that was read. */
export function rangeBytes({ from, until, batch, settling }: BlocksPiece): Uint8Array {
  return toldBytes({ from, until, batch, settling })
}

/**
 * The blocks that `bytes` tell, from `range.from` on: all of the range, or fewer. `origin` names who
 * sent them. Throws `node-answer` for bytes that were changed, of other heights or another version.
 */
export function rangeOf(bytes: Uint8Array, range: HeightRange, origin: string): BlocksPiece {
  const { from, until, batch, settling } = toldValue(bytes, 'a range of blocks')
  if (from !== range.from || typeof until !== 'number' || until <= from || until > range.until)
    throw new Fault('node-answer', 'a range of blocks is another than was asked for')
  const piece: unknown = { from, until, batch, settling, origin }
  // Whole, and of our own version: of the form that `rangeBytes` was given.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return piece as BlocksPiece & { readonly batch: BlockBatch }
}
