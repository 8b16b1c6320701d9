/** Decoded blocks into rows: everything the API lists of a chain but traces. */

import type { BlockBatch } from '../../../codec/evm/columns/columns.ts'
import { equalBytes, isZero } from '../../../core/bytes.ts'
import { assert, Fault } from '../../../core/fault.ts'
import type { Checkpoint } from '../../../store/checkpoint.ts'
import { statement, type Writer } from '../../../store/engine/database.ts'
import { gatherWords } from '../../stream/radix-order.ts'
import { writeBalances } from './balances.ts'
import { placesOf } from './batch-columns.ts'
import { writeBlocks, writeTransactions } from './block-rows.ts'
import { maxBatchRows } from './fan-out.ts'
import type { Interner } from './intern.ts'
import { writeNfts } from './nft-rows.ts'
import { writeEvents, writeTokens, writeTransfers } from './transfer-rows.ts'

const transactionsUntil = statement('select first_tx + tx_count from evm_block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})

/**
 * Throws `source-mismatch` when the first block's parent is not the block of the checkpoint `before`, and when a
 * block has more rows of one kind than positions (2^20).
 */
export function checkFollows(batch: BlockBatch, before: Checkpoint | undefined): void {
  const { from, until, blocks, txs, transfers, events } = batch
  assert(blocks.count > 0, 'a batch has a block')
  assert(before === undefined || from === before.height + 1, 'a batch follows the checkpoint')
  if (before?.hash !== undefined && !equalBytes(blocks.parentHash.subarray(0, 32), before.hash))
    throw new Fault('source-mismatch', `block does not follow the one stored: ${from}`, {
      detail: { height: from },
    })
  const most = Math.max(txs.count, transfers.count, events.count)
  if (most > maxBatchRows && until - from === 1) throw overfullBlock(from)
  assert(most <= maxBatchRows, 'batches are cut below the limit of rows')
}

/** Addresses of a batch as they are stored. */
export type NumberedBatch = {
  readonly batch: BlockBatch
  /** Numbers of the batch's addresses. */
  readonly ids: Float64Array
  /** Numbers up to this one were stored before the batch. */
  readonly stored: number
}

/** Writes the rows of a batch that follows the checkpoint `before`. Throws `source-mismatch` for a block with more rows of a kind than positions. */
export async function writeBatch(
  writer: Writer,
  { batch, ids, stored }: NumberedBatch,
  before: Checkpoint | undefined,
  interner: Interner,
): Promise<void> {
  const row = before && (await writer.get(transactionsUntil, [before.height]))
  assert(before === undefined || row !== undefined, 'the block of the checkpoint is stored')
  const heights = await writeFacts(writer, { batch, ids }, Number(row?.[0] ?? 0))
  await writeTokens(writer, batch, { ids, heights })
  const zero = placeOfZero(batch.addresses)
  await writeBalances(writer, { batch, ids, stored, zero, heights })
  await writeNfts(writer, { batch, ids, zero, heights }, interner)
}

/**
 * Writes what a batch says by itself, and the lists of it: nothing that depends on what came before.
 * Returns the heights of its transfers. `firstTx` counts the transactions of all blocks before.
 */
export async function writeFacts(
  writer: Writer,
  { batch, ids }: { readonly batch: BlockBatch; readonly ids: Float64Array },
  firstTx: number,
): Promise<Float64Array> {
  const txs = placed(batch, batch.txs.block)
  const transferBlock = gatherWords(batch.txs.block, batch.transfers.tx)
  const transfers = placed(batch, transferBlock)
  const events = placed(batch, gatherWords(batch.txs.block, batch.events.tx))
  await writeBlocks(writer, batch, firstTx)
  await writeTransactions(writer, batch, { ids, pos: txs.pos })
  await writeTransfers(writer, batch, { ids, pos: transfers.pos, txPlace: txs.place })
  await writeEvents(writer, batch, { ids, pos: events.pos, txPlace: txs.place })
  return Float64Array.from(transferBlock, (row) => batch.from + row)
}

/** Checkpoint after `batch`. */
export function checkpointAfter(batch: BlockBatch): Checkpoint {
  const last = (batch.blocks.count - 1) * 32
  return { height: batch.until - 1, hash: batch.blocks.hash.slice(last, last + 32) }
}

function placed(
  batch: BlockBatch,
  rowBlock: Uint32Array,
): { pos: Float64Array; place: Uint32Array } {
  const { pos, place, overfull } = placesOf(batch.from, rowBlock)
  if (overfull !== undefined) throw overfullBlock(overfull)
  return { pos, place }
}

function overfullBlock(height: number): Fault {
  return new Fault('source-mismatch', `block has more rows than can be kept: ${height}`, {
    detail: { height },
  })
}

/** Place of the zero address among `addresses`, or -1. */
export function placeOfZero(addresses: Uint8Array): number {
  for (let at = 0; at < addresses.length; at += 20)
    if (isZero(addresses.subarray(at, at + 20))) return at / 20
  return -1
}
