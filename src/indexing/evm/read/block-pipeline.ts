/**
 * Blocks of one chain from its source to its writer: read, checked and decoded, linked to each
 * other, and proven by later headers where their own do not commit to their receipts.
 */

import type { BlockBatch } from '../../../codec/evm/columns/columns.ts'
import { mergeBlocks, sizeOf } from '../../../codec/evm/columns/merge-batches.ts'
import { equalBytes, fromHex } from '../../../core/bytes.ts'
import type { World } from '../../../core/world.ts'
import type { StoredProofs } from '../../../store/query/evm/heights.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { BlockReport, ResumePoint } from '../../stream/chain-spec.ts'
import { Pipeline, type PipelineLimits, type PipelineOptions } from '../../stream/pipeline.ts'
import { asContractsSay } from '../tokens/contract-forms.ts'
import { type BlockReader, readPiece, type BlocksPiece } from './block-piece.ts'
import type { Settlement } from './settlement.ts'

/** The newest blocks, which are checked even where samples of others are enough. */
const headBlocks = 8

/**
 * Once rows had to be removed, the blocks read in their place are proven before they are stored, as
 * long as later blocks come soon: those of a quiet chain may take hours.
 */
const longestHoldMs = 30_000

/** The pipeline of blocks of one chain; `committed` is called after each commit. */
export function blocksPipeline(
  options: {
    readonly reader: BlockReader
    readonly writer: { readonly blocks: (batch: BlockBatch, report: BlockReport) => Promise<void> }
    readonly world: World
    readonly log: Log
    readonly limits: PipelineLimits
    readonly settlement: Settlement
    readonly changed: () => void
  },
  resume: ResumePoint,
  committed: () => void,
): Pipeline<BlocksPiece> {
  const { reader, settlement } = options
  const { source, checks, trust } = reader
  const { clock } = options.world
  let heldSinceMs: number | undefined
  const pipeline: Pipeline<BlocksPiece> = new Pipeline({
    name: 'blocks',
    from: resume.blocksFrom,
    unit: () => source.unitBlocks(),
    window: () => source.window('blocks'),
    fetch: async (range, signal) => {
      const wants = (height: number): boolean =>
        checks.wants(height, pipeline.head - height < headBlocks)
      const took = ({ from, until, origin }: BlocksPiece, sum: string): void =>
        trust.took({ from, until, origin, sum })
      const piece = await readPiece(reader, range, { wants, took, signal })
      await asContractsSay(piece.batch, source, { known: reader.forms, signal })
      return piece
    },
    ...linksOf(options, resume),
    heldFrom: () => settlement.heldFrom,
    heldAtHead: () => {
      if (!settlement.isRefuted) return false
      heldSinceMs ??= clock.monotonic()
      return clock.monotonic() - heldSinceMs < longestHoldMs
    },
    merge: (pieces) => {
      const batch = mergeBlocks(pieces.map((piece) => piece.batch))
      const origin = pieces.at(-1)?.origin ?? ''
      const settling = pieces.flatMap((piece) => piece.settling)
      return { from: batch.from, until: batch.until, batch, origin, settling }
    },
    sizeOf: ({ batch }) => sizeOf(batch),
    apply: ({ batch, settling }, headHeight) => {
      const proofs = proofsOf(reader, settlement.storing(settling))
      return options.writer.blocks(batch, { headHeight, proofs })
    },
    changed: () => {
      committed()
      options.changed()
    },
    clock,
    log: options.log,
    limits: options.limits,
  })
  return pipeline
}

/** Compares each piece with the one before it, and holds its endpoint to account. */
function linksOf(
  {
    reader: { source, trust, forms },
    settlement,
    world,
  }: {
    readonly reader: BlockReader
    readonly settlement: Settlement
    readonly world: World
  },
  resume: ResumePoint,
): Pick<PipelineOptions<BlocksPiece>, 'link' | 'unlinked'> {
  const stored = resume.parentHash === undefined ? undefined : fromHex(resume.parentHash)
  let tail = stored
  return {
    link: (piece) => {
      const { batch, origin } = piece
      const first = batch.blocks.parentHash.subarray(0, 32)
      if (tail !== undefined && !equalBytes(tail, first)) {
        const reason = `parent of block ${batch.from} does not match what is stored: ${origin}`
        source.distrust(origin, reason)
        trust.caught(origin)
        return { reason }
      }
      const wrong = settlement.link(piece, piece.settling)
      if (wrong !== undefined) {
        for (const each of wrong.origins) {
          source.doubt(each, wrong.reason)
          trust.caught(each)
        }
        return wrong
      }
      const from = forms.takeReread(batch.from, world.clock.monotonic())
      if (from !== undefined)
        return { from, reason: `a contract says what its transfers from block ${from} on are` }
      tail = batch.blocks.hash.slice(-32)
      return undefined
    },
    unlinked: ({ batch }) => {
      settlement.forget(batch.from)
      tail = batch.from === resume.blocksFrom ? stored : batch.blocks.parentHash.slice(0, 32)
    },
  }
}

/** Proofs to store beside the rows. */
function proofsOf(
  { checks, forms }: BlockReader,
  settlement: StoredProofs['settlement'],
): StoredProofs {
  const unprovenFrom = checks.firstUnproven
  const unverified = checks.unverified()
  return {
    unprovenFrom,
    unverified,
    settlement,
    doubts: forms.doubts,
  }
}
