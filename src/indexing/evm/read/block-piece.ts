/** One read of blocks: checked as far as is wanted, decoded, and what was taken without a proof. */

import type { BlockBatch } from '../../../codec/evm/columns/columns.ts'
import { decodeBlocks } from '../../../codec/evm/decode-blocks.ts'
import { batchSum, type Compress } from '../../../codec/evm/growing-batch.ts'
import type { RawUnit } from '../../../codec/evm/raw.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import type { EvmSource, ReadRange } from '../../../source/evm-source.ts'
import type { KnownForms } from '../tokens/contract-forms.ts'
import type { BlockChecks } from './block-checks.ts'
import { settlingBlocks, type SettlingBlock } from './settlement.ts'
import type { TakenOnTrust } from './taken-on-trust.ts'

/** Where blocks are read, and what proves them. */
export type BlockReader = {
  readonly source: EvmSource
  readonly compress: Compress
  readonly checks: BlockChecks
  readonly trust: TakenOnTrust
  /** Readings of the transfers of contracts. */
  readonly forms: KnownForms
}

type PieceOptions = {
  /** Called with a piece that hashes do not prove. */
  readonly took?: (piece: BlocksPiece, sum: string) => void
  /** Returns whether the block at this height must be checked; absent: all are. */
  readonly wants?: (height: number) => boolean
  readonly signal: AbortSignal
}

/** A decoded range and the endpoint that gave it. */
export type BlocksPiece = {
  readonly from: number
  readonly until: number
  readonly batch: BlockBatch
  readonly origin: string
  readonly settling: readonly SettlingBlock[]
}

/**
 * Reads blocks from `range.from` on: all of the range, or fewer. An endpoint whose answer
 * contradicts itself is caught, and another one used. Faults as `EvmSource.blocks`.
 */
export function readPiece(
  reader: BlockReader,
  range: ReadRange,
  options: PieceOptions,
): Promise<BlocksPiece> {
  const { source, trust } = reader
  return source.blocks(
    range,
    (units, origin) => {
      try {
        return pieceOf(reader, options, { from: range.from, units, origin })
      } catch (error) {
        if (faultOf(error)?.code === 'node-answer') trust.caught(origin)
        throw error
      }
    },
    options.signal,
  )
}

function pieceOf(
  { source, checks, compress, trust }: BlockReader,
  { wants = () => true, took }: PieceOptions,
  {
    from,
    units,
    origin,
  }: { readonly from: number; readonly units: readonly RawUnit[]; readonly origin: string },
): BlocksPiece {
  const isWanted = (height: number): boolean => !trust.believes(origin) || wants(height)
  let proven = -1
  let taken = -1
  let isRefuted = false
  const good = checks.checkAll(units, {
    from,
    origin,
    wants: isWanted,
    judged: (height, verdict) => {
      if (verdict === 'proven') proven = height
      else if (verdict === 'taken') taken = height
      else isRefuted = true
    },
  })
  if (taken > proven && !trust.believes(origin) && hasOther(source, trust, origin))
    throw new Fault('node-answer', `${origin} gave wrong blocks before, and no hash proves these`)
  const batch = decodeBlocks(from, good, compress)
  const kept = good.slice(0, batch.until - from)
  const settling = settlingBlocks(kept, from, origin)
  const piece = { from, until: batch.until, batch, origin, settling }
  // Blocks that an endpoint sent before a proven block are believed.
  if (proven >= 0) trust.proved(origin, proven)
  if (taken > proven) took?.(piece, batchSum(batch))
  if (isRefuted) trust.caught(origin)
  return piece
}

/** Returns whether there is another endpoint that was never found to be wrong. */
function hasOther(source: EvmSource, trust: TakenOnTrust, origin: string): boolean {
  return source
    .endpoints()
    .some(({ name, state }) => name !== origin && state !== 'quarantined' && trust.believes(name))
}
