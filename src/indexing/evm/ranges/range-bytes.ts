/**
 * A range of blocks that one process read for another: its bytes, and the address to ask it at.
 *
 * Both processes are of one deployment. The bytes begin with the SHA-256 of the rest, so that nothing
 * is taken that a wire or a disk changed. Columns of another version are refused by the names of all
 * columns.
 */

import {
  blockTable,
  type BlockBatch,
  eventTable,
  transferTable,
  txTable,
} from '../../../codec/evm/columns.ts'
import { concatBytes, equalBytes } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { fromFlatBytes, toFlatBytes } from '../../../core/flat-bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import type { ChainIdentity, HeightRange } from '../../../source/evm-source.ts'
import type { BlocksPiece } from '../block-piece.ts'

/** Path that a reader answers. */
export const rangePath = '/v1/ranges'

/** The chain that is read, by what makes two of the same number different. */
export type RangeChain = Pick<ChainIdentity, 'chainId' | 'genesisHash'>

const sumBytes = 32

/** Columns that this version reads and writes, each table's in its order. */
const columnNames = [blockTable, txTable, transferTable, eventTable]
  .map(({ kinds }) => Object.keys(kinds).join(' '))
  .join('; ')

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
  const bytes = toFlatBytes({ columns: columnNames, from, until, batch, settling })
  return concatBytes(sha256(bytes), bytes)
}

/**
 * The blocks that `bytes` tell, from `range.from` on: all of the range, or fewer. `origin` names who
 * sent them. Throws `node-answer` for bytes that were changed, of other heights or another version.
 */
export function rangeOf(bytes: Uint8Array, range: HeightRange, origin: string): BlocksPiece {
  const told = bytes.subarray(sumBytes)
  if (!equalBytes(bytes.subarray(0, sumBytes), sha256(told)))
    throw refused('was changed on its way')
  const { columns, from, until, batch, settling } = fromFlatBytes(told)
  if (columns !== columnNames) throw refused('is of another version of Firn')
  if (from !== range.from || typeof until !== 'number' || until <= from || until > range.until)
    throw refused('is another than was asked for')
  const piece: unknown = { from, until, batch, settling, origin }
  // Whole, and of our own version: of the form that `rangeBytes` was given.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return piece as BlocksPiece & { readonly batch: BlockBatch }
}

function refused(why: string): Fault {
  return new Fault('node-answer', `a range of blocks ${why}`)
}
