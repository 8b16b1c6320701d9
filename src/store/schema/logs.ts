/**
 * Tables of the logs of one EVM chain, in a store of their own beside that of the chain: an operator
 * turns them on, sees what they cost, and deletes them without touching the chain.
 *
 * `pos` = height × 2^20 + index of the log in its block.
 */

import { controlTables } from './control.ts'
import { address, addressByBytes } from './evm.ts'
import { placesPerBlock, heightsPerSum } from './sums.ts'
import { sumsBy, table } from './table.ts'

const ofHistory = {
  freezes: 'whole',
  stage: 'logs',
  sums: sumsBy('pos', placesPerBlock * heightsPerSum),
} as const

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
  { key: ['pos'], layout: 'rows', ...ofHistory },
)

/** Logs of a contract. */
export const logByAddress = table(
  'log_by_address',
  { address_id: 'integer', pos: 'integer' },
  { key: ['address_id', 'pos'], layout: 'keyed', ...ofHistory },
)

/** Logs by each of their topics, see {@link topicKey}. */
export const logByTopic = table(
  'log_by_topic',
  { topic_key: 'integer', pos: 'integer' },
  { key: ['topic_key', 'pos'], layout: 'keyed', ...ofHistory },
)

const topicWords = 8

/**
 * Key of the topic at byte `at` of `bytes`, the one at `place` among the four of a log: 48 bits of all its
 * 32 bytes, for an address begins with zeros and a small number is nothing but its end. Other topics may have
 * the same key: the whole of a topic is compared on reading.
 */
export function topicKey(place: number, bytes: Uint8Array, at = 0): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, topicWords * 4)
  let low = 0
  let high = 0
  for (let word = 0; word < topicWords; word++) {
    const value = view.getUint32(word * 4)
    low = Math.imul(low ^ value, 0x85eb_ca6b)
    low ^= low >>> 13
    high = Math.imul(high ^ value, 0xc2b2_ae35)
    high ^= high >>> 15
  }
  return ((high & 0xffff) * 2 ** 32 + (low >>> 0)) * 4 + place
}

/** Transactions that have logs; `pos` = height × 2^20 + index of the transaction in its block. */
export const logTransaction = table(
  'log_transaction',
  { pos: 'integer', hash: 'bytes' },
  { key: ['pos'], layout: 'rows', ...ofHistory },
)

/** Blocks that have logs; `timestamp` in Unix seconds. */
export const logBlock = table(
  'log_block',
  { height: 'integer', hash: 'bytes', timestamp: 'integer' },
  { key: ['height'], layout: 'rows', ...ofHistory, sums: sumsBy('height', heightsPerSum) },
)

/**
 * Blocks up to which logs were read at some time, one in some hundred heights: where the chain took
 * its end away, the newest that it still has says from where logs are read again.
 */
export const logMark = table(
  'log_mark',
  { height: 'integer', hash: 'bytes' },
  { key: ['height'], layout: 'rows', sums: sumsBy('height', heightsPerSum) },
)

/** In order of creation. What an answer says of a log is all here, so that it is of one state. */
export const logTables = [
  address,
  addressByBytes,
  logEntry,
  logByAddress,
  logByTopic,
  logTransaction,
  logBlock,
  logMark,
] as const

/** Of a store of logs. */
export const logStoreTables = [...controlTables, ...logTables] as const
