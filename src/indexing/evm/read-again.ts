/**
 * Blocks that are read a second time: those that a caught endpoint told, and those whose receipts no
 * header had settled when the process ended.
 */

import { batchSum } from '../../codec/evm/batch-sum.ts'
import type { Compress } from '../../codec/evm/decode-blocks.ts'
import { mergeBlocks } from '../../codec/evm/merge-batches.ts'
import { Fault } from '../../core/fault.ts'
import type { EvmSource, ReadRange } from '../../source/evm-source.ts'
import type { StoredSettlement } from '../../store/query/evm/stored-proofs.ts'
import type { BlockChecks } from './block-checks.ts'
import { readPiece } from './block-piece.ts'
import type { BlocksPiece } from './block-piece.ts'
import { sumOfReceipts } from './settlement.ts'
import type { SettlingBlock } from './settlement.ts'
import type { TakenOnTrust, TakenRange } from './taken-on-trust.ts'

/** What reading again needs. */
export type ReadAgainParts = {
  readonly source: EvmSource
  readonly compress: Compress
  readonly checks: BlockChecks
  readonly trust: TakenOnTrust
}

/**
 * Sums of the rows that `range` is now, every block checked, from another endpoint where there is
 * one. Faults as `EvmSource.blocks`.
 */
export async function sumNow(
  parts: ReadAgainParts,
  range: TakenRange,
  signal: AbortSignal,
): Promise<string> {
  const { from, until, origin } = range
  const pieces = await readWhole(parts, { from, until, otherThan: origin }, signal)
  return batchSum(mergeBlocks(pieces.map(({ batch }) => batch)))
}

/**
 * The stored blocks that are not settled, as nodes tell them now; they end with `lastHash`, `0x` hex.
 *
 * Throws `rows-refuted` when rows were made of other receipts, `node-answer` when what is told is not
 * what is stored, and as `EvmSource.blocks`.
 */
export async function unsettledNow(
  parts: ReadAgainParts,
  stored: StoredSettlement & { readonly lastHash: string },
  signal: AbortSignal,
): Promise<readonly SettlingBlock[]> {
  const [first] = stored.unsettled
  if (first === undefined) return []
  const pieces = await readWhole(parts, { from: first[0], until: stored.at + 1 }, signal)
  const { blocks } = mergeBlocks(pieces.map(({ batch }) => batch))
  const at = (hashes: Uint8Array, row: number): string =>
    Buffer.from(hashes.buffer, hashes.byteOffset + row * 32, 32).toString('hex')
  for (let row = 0; row < blocks.count; row++) {
    const isLast = row === blocks.count - 1
    const next = isLast ? stored.lastHash.slice(2) : at(blocks.parentHash, row + 1)
    if (at(blocks.hash, row) === next) continue
    for (const { origin } of pieces) parts.source.doubt(origin, 'told blocks that are not stored')
    throw new Fault('node-answer', `a node tells another block than is stored: ${first[0] + row}`)
  }
  const told = pieces.flatMap(({ settling }) => settling)
  for (const [height, sum] of stored.unsettled) {
    const block = told.find((each) => each.height === height)
    if (block !== undefined && sumOfReceipts(block.receipts) === sum) continue
    throw new Fault('rows-refuted', `receipts of block ${height} were told in two ways`, {
      detail: { from: height },
    })
  }
  return told
}

/** All pieces of a range, every block checked. */
async function readWhole(
  parts: ReadAgainParts,
  range: ReadRange,
  signal: AbortSignal,
): Promise<readonly BlocksPiece[]> {
  const pieces: BlocksPiece[] = []
  const unit = parts.source.unitBlocks()
  for (let { from } = range; from < range.until; from = pieces.at(-1)?.until ?? range.until) {
    const until = Math.min(range.until, from + unit)
    const wants = (): boolean => true
    pieces.push(await readPiece({ ...parts, wants }, { ...range, from, until }, signal))
  }
  return pieces
}
