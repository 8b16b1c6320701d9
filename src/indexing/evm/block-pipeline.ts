/**
 * Blocks of one chain from its source to its writer: read, checked and decoded, linked to each other,
 * and proven by later headers where their own do not commit to their receipts.
 */

import type { BlockBatch } from '../../codec/evm/columns.ts'
import { decodeBlocks } from '../../codec/evm/decode-blocks.ts'
import type { Compress } from '../../codec/evm/decode-blocks.ts'
import { mergeBlocks, sizeOf } from '../../codec/evm/merge-batches.ts'
import { equalBytes, fromHex } from '../../core/bytes.ts'
import type { World } from '../../core/world.ts'
import type { EvmSource } from '../../source/evm-source.ts'
import type { Log } from '../../telemetry/log.ts'
import type { ResumePoint } from '../chain-spec.ts'
import { Pipeline } from '../pipeline.ts'
import type { PipelineLimits } from '../pipeline.ts'
import type { BlockChecks } from './block-checks.ts'
import { type Settlement, settlingBlocks } from './settlement.ts'
import type { SettlingBlock } from './settlement.ts'

/** The newest blocks, which are checked even where samples of others are enough. */
const headBlocks = 8

/** What the pipeline needs: a source, a writer, and what proves blocks. */
export type BlockPipelineParts = {
  readonly source: EvmSource
  readonly writer: { readonly blocks: (batch: BlockBatch, headHeight: number) => Promise<void> }
  readonly world: World
  readonly log: Log
  readonly compress: Compress
  readonly limits: PipelineLimits
  readonly checks: BlockChecks
  readonly settlement: Settlement
  readonly changed: () => void
}

/** A decoded range and the endpoint that told it. */
export type BlocksPiece = {
  readonly from: number
  readonly until: number
  readonly batch: BlockBatch
  readonly origin: string
  readonly settling: readonly SettlingBlock[]
}

/** The pipeline of blocks of one chain; `committed` is told after each commit. */
export function blocksPipeline(
  parts: BlockPipelineParts,
  resume: ResumePoint,
  committed: () => void,
): Pipeline<BlocksPiece> {
  const { source, compress, checks, settlement } = parts
  const stored = resume.parentHash === undefined ? undefined : fromHex(resume.parentHash)
  let tail = stored
  const pipeline = new Pipeline<BlocksPiece>({
    name: 'blocks',
    from: resume.blocksFrom,
    unit: () => source.unitBlocks(),
    window: () => source.window('blocks'),
    fetch: (range, signal) =>
      source.blocks(
        range,
        (units, origin) => {
          const wants = (height: number): boolean =>
            checks.wants(height, pipeline.head - height < headBlocks)
          const good = checks.checkAll(units, { from: range.from, origin, wants })
          const batch = decodeBlocks(range.from, good, compress)
          const kept = good.slice(0, batch.until - range.from)
          const settling = settlingBlocks(kept, range.from, origin)
          return { from: range.from, until: batch.until, batch, origin, settling }
        },
        signal,
      ),
    link: (piece) => {
      const { batch, origin } = piece
      const first = batch.blocks.parentHash.subarray(0, 32)
      if (tail !== undefined && !equalBytes(tail, first)) {
        const reason = `parent of block ${batch.from} does not match what is stored: ${origin}`
        source.distrust(origin, reason)
        return { reason }
      }
      const wrong = settlement.link(piece, piece.settling)
      if (wrong !== undefined) {
        for (const each of wrong.origins) source.doubt(each, wrong.reason)
        return wrong
      }
      tail = batch.blocks.hash.slice(-32)
      return undefined
    },
    unlinked: ({ batch }) => {
      settlement.forget(batch.from)
      tail = batch.from === resume.blocksFrom ? stored : batch.blocks.parentHash.slice(0, 32)
    },
    heldFrom: () => settlement.heldFrom,
    // Once rows had to be taken away, what is read in their place is proven before it is stored.
    heldAtHead: () => settlement.isRefuted,
    merge: (pieces) => {
      const batch = mergeBlocks(pieces.map((piece) => piece.batch))
      const origin = pieces.at(-1)?.origin ?? ''
      return { from: batch.from, until: batch.until, batch, origin, settling: [] }
    },
    sizeOf: ({ batch }) => sizeOf(batch),
    apply: ({ batch }, headHeight) => parts.writer.blocks(batch, headHeight),
    changed: () => {
      committed()
      parts.changed()
    },
    clock: parts.world.clock,
    log: parts.log,
    limits: parts.limits,
  })
  return pipeline
}
