/**
 * Tables of the logs of one EVM chain, in a store of their own beside that of the chain: an operator
 * turns them on, sees what they cost, and deletes them without touching the chain.
 *
 * `pos` = height × 2^20 + index of the log in its block.
 */

import { sumsBy, table } from '../engine/table.ts'
import { controlTables } from './control.ts'
import { address, addressByBytes } from './evm.ts'
import { placesPerBlock, heightsPerSum } from './sums.ts'

/** Name of the store of a chain's logs. */
export function logStoreOf(chainKey: string): string {
  return `${chainKey}${logEnding}`
}

/** Ending of the names of such stores. */
export const logEnding = '-logs'

/** Name of its stage, in `checkpoint` and in `/status`. */
export const logStage = 'logs'

/** Logs; `topics` are 32 bytes each, `tx_index` the place of the transaction in the block. */
export const logEntry = table(
  'log_entry',
  { pos: 'integer', tx_index: 'integer', address_id: 'integer', topics: 'bytes', data: 'bytes' },
  { key: ['pos'], layout: 'rows', sums: sumsBy('pos', placesPerBlock * heightsPerSum) },
)

/** Logs of a contract. */
export const logByAddress = table(
  'log_by_address',
  { address_id: 'integer', pos: 'integer' },
  {
    key: ['address_id', 'pos'],
    layout: 'keyed',
    sums: sumsBy('pos', placesPerBlock * heightsPerSum),
  },
)

/** Logs by a topic: its place among the four and its first 48 bits, see {@link topicKey}. */
export const logByTopic = table(
  'log_by_topic',
  { topic: 'integer', pos: 'integer' },
  { key: ['topic', 'pos'], layout: 'keyed', sums: sumsBy('pos', placesPerBlock * heightsPerSum) },
)

/** A topic in {@link logByTopic}; the whole of it is compared on reading. */
export function topicKey(place: number, prefix: number): number {
  return prefix * 4 + place
}

/**
 * Blocks up to which logs were read at some time, one in some hundred heights: where the chain took
 * its end away, the newest that it still has says from where logs are read again.
 */
export const logMark = table(
  'log_mark',
  { height: 'integer', hash: 'bytes' },
  { key: ['height'], layout: 'rows', sums: sumsBy('height', heightsPerSum) },
)

/** In order of creation. */
export const logTables = [
  address,
  addressByBytes,
  logEntry,
  logByAddress,
  logByTopic,
  logMark,
] as const

/** Of a store of logs. */
export const logStoreTables = [...controlTables, ...logTables] as const
