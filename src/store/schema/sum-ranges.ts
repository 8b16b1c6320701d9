/**
 * Sizes of the ranges that tables are summed by.
 *
 * A range is what is named when a bit flipped, and what is read again. Small ones name more
 * exactly; each is a row for each table. They are part of the format: sums of another size mean
 * nothing.
 */
import { placesPerBlock } from './places.ts'

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
