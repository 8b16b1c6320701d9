/** Decoded blocks into rows: everything the API lists of a chain but traces. */

import type { BlockBatch } from '../../../codec/evm/columns.ts'
import { equalBytes, isZero } from '../../../core/bytes.ts'
import { assert, Fault } from '../../../core/fault.ts'
import { type Checkpoint, getCheckpoint } from '../../../store/checkpoint.ts'
import { statement, type Writer } from '../../../store/engine/database.ts'
import { gatherWords } from '../../stream/radix-order.ts'
import { writeBalances } from './balances.ts'
import { placesOf } from './batch-columns.ts'
import { writeBlocks, writeTransactions } from './block-rows.ts'
import { maxBatchRows } from './fan-out.ts'
import type { Interner } from './intern.ts'
import { writeNfts } from './nft-rows.ts'
import { writeEvents, writeTokens, writeTransfers } from './transfer-rows.ts'

/** Name of the stage in `checkpoint`. */
export const blockStage = 'blocks'

const lastBlock = statement('select first_tx + tx_count from block where height = ?')

/** A batch whose addresses have numbers: all rows of history follow from it. */
export type NumberedBatch = {
  readonly batch: BlockBatch
  /** Stored numbers of the batch's addresses. */
  readonly ids: Float64Array
  /** Transactions of all blocks before. */
  readonly firstTx: number
}

/** Where the blocks of a store end. */
export type EndOfBlocks = {
  /** None of an empty store. */
  readonly checkpoint: Checkpoint | undefined
  /** Transactions of all blocks. */
  readonly transactions: number
}

/** Where the blocks end that `writer` sees. */
export async function endOfBlocks(writer: Writer): Promise<EndOfBlocks> {
  const checkpoint = await getCheckpoint(writer, blockStage)
  if (checkpoint === undefined) return { checkpoint, transactions: 0 }
  return { checkpoint, transactions: await transactionsUntil(writer, checkpoint.height) }
}

/**
 * Writes the rows of `batch`, which must follow `end`. Returns it with its numbers.
 *
 * Throws `source-mismatch` when the first block's parent is not the block stored last, and when
 * a block has more rows of one kind than positions (2^20).
 */
export async function applyBlocks(
  writer: Writer,
  { batch, end }: { readonly batch: BlockBatch; readonly end: EndOfBlocks },
  interner: Interner,
): Promise<NumberedBatch> {
  const stored = await interner.highest(writer)
  const numbered = await numberBatch(writer, { batch, end }, interner)
  await writeHistory(writer, numbered, stored)
  await writeStanding(writer, numbered, interner)
  return numbered
}

/** Gives the addresses of `batch`, which must follow `end`, their numbers. Throws as {@link applyBlocks}. */
export async function numberBatch(
  writer: Writer,
  { batch, end }: { readonly batch: BlockBatch; readonly end: EndOfBlocks },
  interner: Interner,
): Promise<NumberedBatch> {
  checkLink(batch, end.checkpoint)
  checkSize(batch)
  return { batch, ids: await interner.ids(writer, batch.addresses), firstTx: end.transactions }
}

/**
 * Writes all rows of tables of history that a batch makes, but the holders of NFTs. Numbers above `stored`
 * were not there before it; balances of others are looked up.
 */
export async function writeHistory(
  writer: Writer,
  { batch, ids, firstTx }: NumberedBatch,
  stored: number,
): Promise<void> {
  const heights = await writeFacts(writer, { batch, ids }, firstTx)
  const zero = placeOfZero(batch.addresses)
  await writeBalances(writer, { batch, ids, stored, zero, heights })
}

/** Writes what a batch changes of what stands: tokens, and owners of NFTs with all their holders. */
export async function writeStanding(
  writer: Writer,
  { batch, ids }: NumberedBatch,
  interner: Interner,
): Promise<void> {
  const heights = heightsOf(batch)
  await writeTokens(writer, batch, { ids, heights })
  await writeNfts(writer, { batch, ids, zero: placeOfZero(batch.addresses), heights }, interner)
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
  const transfers = placed(batch, blocksOfTransfers(batch))
  const events = placed(batch, gatherWords(batch.txs.block, batch.events.tx))
  await writeBlocks(writer, batch, firstTx)
  await writeTransactions(writer, batch, { ids, pos: txs.pos })
  await writeTransfers(writer, batch, { ids, pos: transfers.pos, txPlace: txs.place })
  await writeEvents(writer, batch, { ids, pos: events.pos, txPlace: txs.place })
  return heightsOf(batch)
}

/** Row of the block of each transfer. */
function blocksOfTransfers({ txs, transfers }: BlockBatch): Uint32Array {
  return gatherWords(txs.block, transfers.tx)
}

/** Height of each transfer. */
function heightsOf(batch: BlockBatch): Float64Array {
  return Float64Array.from(blocksOfTransfers(batch), (row) => batch.from + row)
}

/** Checkpoint after `batch`. */
export function checkpointAfter(batch: BlockBatch): Checkpoint {
  const last = (batch.blocks.count - 1) * 32
  return { height: batch.until - 1, hash: batch.blocks.hash.slice(last, last + 32) }
}

function checkLink(batch: BlockBatch, before: Checkpoint | undefined): void {
  assert(batch.blocks.count > 0, 'a batch has a block')
  if (before === undefined) return
  assert(batch.from === before.height + 1, 'a batch follows the checkpoint')
  const parent = batch.blocks.parentHash.subarray(0, 32)
  if (before.hash !== undefined && !equalBytes(parent, before.hash))
    throw new Fault('source-mismatch', `block does not follow the one stored: ${batch.from}`, {
      detail: { height: batch.from },
    })
}

function checkSize({ txs, transfers, events }: BlockBatch): void {
  const most = Math.max(txs.count, transfers.count, events.count)
  assert(most <= maxBatchRows, 'batches are cut below the limit of rows')
}

function placed(
  batch: BlockBatch,
  rowBlock: Uint32Array,
): { pos: Float64Array; place: Uint32Array } {
  const { pos, place, overfull } = placesOf(batch.from, rowBlock)
  if (overfull !== undefined)
    throw new Fault('source-mismatch', `block has more rows than can be kept: ${overfull}`, {
      detail: { height: overfull },
    })
  return { pos, place }
}

async function transactionsUntil(writer: Writer, height: number): Promise<number> {
  const row = await writer.get(lastBlock, [height])
  assert(row !== undefined, 'the block of the checkpoint is stored')
  return Number(row[0])
}

/** Place of the zero address among `addresses`, or -1. */
export function placeOfZero(addresses: Uint8Array): number {
  for (let at = 0; at < addresses.length; at += 20)
    if (isZero(addresses.subarray(at, at + 20))) return at / 20
  return -1
}
