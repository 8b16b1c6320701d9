/**
 * Several batches in a row into one, so that the writer commits many blocks at once.
 *
 * Columns are copied whole; only rows that name something by number (address, block,
 * transaction, place in the arena) are shifted or looked up.
 */

import { assert } from '../../../core/fault.ts'
import { buffersOf } from '../../../core/growing.ts'
import { itemAt } from '../../../core/item-at.ts'
import { AddressBook } from './address-book.ts'
import { joinedBytes, joinedColumns, type Moves } from './column-kinds.ts'
import {
  type BatchBase,
  type BlockBatch,
  type TraceBatch,
  blockTable,
  eventTable,
  frameTable,
  transferTable,
  txTable,
} from './columns.ts'

/** Joins batches whose ranges follow one another. A single batch is returned unchanged. */
export function mergeBlocks(batches: readonly BlockBatch[]): BlockBatch {
  const [first] = batches
  if (batches.length === 1 && first !== undefined) return first
  const { base, arena, addresses } = joinedBase(batches)
  const blocks = batches.map((batch) => batch.blocks)
  const txs = batches.map((batch) => batch.txs)
  const inRange: Moves = { arena, addresses, rows: [] }
  const inBlocks: Moves = { ...inRange, rows: sumsOf(blocks.map(({ count }) => count)) }
  const unexplained = new AddressBook(64)
  for (const batch of batches) unexplained.join(batch.unexplained)
  const inTxs: Moves = { ...inRange, rows: sumsOf(txs.map(({ count }) => count)) }
  return {
    kind: 'blocks',
    ...base,
    blocks: joinedColumns(blockTable, blocks, inRange),
    txs: joinedColumns(txTable, txs, inBlocks),
    transfers: joinedColumns(
      transferTable,
      batches.map(({ transfers }) => transfers),
      inTxs,
    ),
    events: joinedColumns(
      eventTable,
      batches.map(({ events }) => events),
      inTxs,
    ),
    unexplained: unexplained.taken(),
  }
}

/** Joins trace batches whose ranges follow one another. */
export function mergeTraces(batches: readonly TraceBatch[]): TraceBatch {
  const [first] = batches
  if (batches.length === 1 && first !== undefined) return first
  const { base, arena, addresses } = joinedBase(batches)
  const frames = batches.map((batch) => batch.frames)
  const rows = sumsOf(batches.map(({ from, until }) => until - from))
  return {
    kind: 'traces',
    ...base,
    frames: joinedColumns(frameTable, frames, { arena, addresses, rows }),
  }
}

/** Bytes a batch holds. */
export function sizeOf(batch: BlockBatch | TraceBatch): number {
  let size = 0
  for (const buffer of buffersOf(batch)) size += buffer.byteLength
  return size
}

/** One arena and one list of addresses for all, and how places and numbers move. */
function joinedBase(
  batches: readonly BatchBase[],
): Omit<Moves, 'rows'> & { readonly base: BatchBase } {
  for (let at = 1; at < batches.length; at++)
    assert(batches[at]?.from === batches[at - 1]?.until, 'merged batches follow one another')
  const arenas = batches.map(({ arena }) => arena)
  const book = new AddressBook(1024)
  const addresses = batches.map((batch) => book.join(batch.addresses))
  const base = {
    from: itemAt(batches, 0).from,
    until: itemAt(batches, batches.length - 1).until,
    arena: joinedBytes(arenas),
    addresses: book.taken(),
  }
  return { base, arena: sumsOf(arenas.map(({ length }) => length)), addresses }
}

/** For each size the sum of those before it. */
function sumsOf(sizes: readonly number[]): number[] {
  let sum = 0
  return sizes.map((size) => (sum += size) - size)
}
