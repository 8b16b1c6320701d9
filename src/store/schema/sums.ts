/** Sums of the rows of each range of a table, and sizes of these ranges. */

import { table } from './table.ts'

/**
 * Places a block has. A position is that of the block times this, and a place in the block: exact
 * in a double for 2^33 blocks, and more than the gas or bytes of any block pay for.
 */
export const placesPerBlock = 2 ** 20

// Sizes of the ranges that tables are summed by.
//
// A range is what is named when a bit flipped, and what is read again. Small ones name more
// exactly; each is a row for each table. They are part of the format: sums of another size mean
// nothing.

/** Heights of an EVM chain: read again from a node in a second or two. */
export const heightsPerSum = 256

/** Numbers of addresses and of what else is numbered. */
export const idsPerSum = 16_384

/** Seconds of time series and messages: 194 days, as few rows are of one day. */
export const secondsPerSum = 2 ** 24

/** Chunks of 4,096 address numbers. */
export const chunksPerSum = 64

/** Blocks of a primary network. */
export const blocksPerSum = 4_096

/** Places in history of as many blocks. */
export const placesPerSum = blocksPerSum * placesPerBlock

/** UTXOs: a batch spends old ones of everywhere, and writes a sum for each range it meets. */
export const utxosPerSum = 2 ** 20

/**
 * Sums of hashes, written in the transaction that changed the rows.
 *
 * `tab` names the table, `part` the range: the value of the table's column of ranges divided by
 * their size, see `Table.sums`. `row_sum` is below 2^52. The row of {@link everyRow} says that
 * every row of the store is in a sum; a store without it was made before sums were kept.
 */
export const rangeSum = table(
  'range_sum',
  { tab: 'text', part: 'integer', row_count: 'integer', row_sum: 'integer' },
  { key: ['tab', 'part'], layout: 'keyed' },
)

/** Name no table has. */
export const everyRow = '*'
