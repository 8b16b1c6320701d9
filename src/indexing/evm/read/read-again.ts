/**
 * Blocks that are read a second time: those that a caught endpoint gave, and those whose receipts
 * no header had settled when the process ended.
 */

import { mergeBlocks } from '../../../codec/evm/columns/merge-batches.ts'
import { batchSum } from '../../../codec/evm/growing-batch.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { growingPause } from '../../../core/waiting.ts'
import type { Clock } from '../../../core/world.ts'
import type { ReadRange } from '../../../source/evm-source.ts'
import type { StoredSettlement } from '../../../store/query/evm/heights.ts'
import type { Log } from '../../../telemetry/log.ts'
import { type BlockReader, readPiece, type BlocksPiece } from './block-piece.ts'
import { sumOfReceipts, type SettlingBlock } from './settlement.ts'
import type { TakenOnTrust, TakenRange } from './taken-on-trust.ts'

/** Pauses between tries to read again. */
const pauses = { firstMs: 500, longestMs: 10_000 }

/**
 * Sums of the rows that `range` is now, every block checked, from another endpoint where there is
 * one. Faults as `EvmSource.blocks`.
 */
export async function sumNow(
  reader: BlockReader,
  range: TakenRange,
  signal: AbortSignal,
): Promise<string> {
  const { from, until, origin } = range
  const pieces = await readWhole(reader, { from, until, otherThan: [origin] }, signal)
  return batchSum(mergeBlocks(pieces.map(({ batch }) => batch)))
}

/**
 * The stored blocks that are not settled, as nodes give them now; they end with `lastHash`, `0x`
 * hex.
 *
 * Throws `rows-refuted` when rows were made of other receipts, `node-answer` when what is given is
 * not what is stored, and as `EvmSource.blocks`.
 */
export async function unsettledNow(
  reader: BlockReader,
  stored: StoredSettlement & { readonly lastHash: string },
  signal: AbortSignal,
): Promise<readonly SettlingBlock[]> {
  const [first] = stored.unsettled
  if (first === undefined) return []
  const pieces = await readWhole(reader, { from: first[0], until: stored.at + 1 }, signal)
  const { blocks } = mergeBlocks(pieces.map(({ batch }) => batch))
  const at = (hashes: Uint8Array, row: number): string =>
    Buffer.from(hashes.buffer, hashes.byteOffset + row * 32, 32).toString('hex')
  for (let row = 0; row < blocks.count; row++) {
    const isLast = row === blocks.count - 1
    const next = isLast ? stored.lastHash.slice(2) : at(blocks.parentHash, row + 1)
    if (at(blocks.hash, row) === next) continue
    for (const { origin } of pieces) reader.source.doubt(origin, 'gave blocks that are not stored')
    throw new Fault('node-answer', `a node gives another block than is stored: ${first[0] + row}`)
  }
  const settled = pieces.flatMap(({ settling }) => settling)
  for (const [height, sum] of stored.unsettled) {
    const block = settled.find((each) => each.height === height)
    if (block !== undefined && sumOfReceipts(block.receipts) === sum) continue
    throw new Fault('rows-refuted', `receipts of block ${height} were given in two ways`, {
      detail: { from: height },
    })
  }
  return settled
}

/** Something that was taken on trust and can be read again. */
export type Rereading = {
  readonly trust: TakenOnTrust
  /** Sum of the rows that a range is now. */
  readonly sumNow: (range: TakenRange, signal: AbortSignal) => Promise<string>
  readonly clock: Clock
  readonly log: Log
  /** Called after each range that is unchanged. */
  readonly changed: () => void
}

/**
 * Reads again what caught endpoints gave, until the signal is aborted. Throws `rows-refuted` for
 * the first range that differs; other faults that may pass are waited out.
 */
export async function rereadCaught(of: Rereading, signal: AbortSignal): Promise<void> {
  const { trust, clock, log } = of
  for (let failures = 0; !signal.aborted;) {
    const range = trust.next
    if (range === undefined) {
      await trust.changed(signal)
      continue
    }
    try {
      const { from, origin } = range
      if ((await of.sumNow(range, signal)) !== range.sum) {
        trust.disbelieve(origin)
        const reason = `blocks from ${from} on are not those that ${origin} gave`
        throw new Fault('rows-refuted', reason, { detail: { from } })
      }
      trust.confirmed(range)
      of.changed()
      failures = 0
    } catch (error) {
      const fault = faultOf(error)
      if (signal.aborted) return
      if (fault?.retryable !== true || fault.code === 'rows-refuted') throw error
      log.debug('blocks are not read again yet', { from: range.from, code: fault.code })
      await clock.sleep(growingPause(failures++, pauses), signal).catch((reason: unknown) => {
        if (!signal.aborted) throw reason
      })
    }
  }
}

/** All pieces of a range, every block checked. */
async function readWhole(
  reader: BlockReader,
  range: ReadRange,
  signal: AbortSignal,
): Promise<readonly BlocksPiece[]> {
  const pieces: BlocksPiece[] = []
  const unit = reader.source.unitBlocks()
  for (let { from } = range; from < range.until; from = pieces.at(-1)?.until ?? range.until) {
    const until = Math.min(range.until, from + unit)
    pieces.push(await readPiece(reader, { ...range, from, until }, { signal }))
  }
  return pieces
}
