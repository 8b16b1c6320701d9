/**
 * Interchain messages of all chains, in a store of their own.
 *
 * Chains are indexed independently, so the two ends of a message arrive in either order. Each end
 * writes only its own table, in the order of its chain; reading joins them. `checkpoint` has a
 * row per chain: the last height whose logs were read.
 */

import { secondsPerSum } from './sums.ts'
import { sumsBy, table } from './table.ts'

/** A message as either end reports it. */
const messageColumns = {
  message_id: 'bytes',
  chain: 'text',
  network: 'integer',
  contract: 'bytes',
  source_id: 'bytes',
  destination_id: 'bytes',
  nonce: 'bytes',
  sender: 'bytes',
  recipient: 'bytes',
  data: 'bytes',
  receipts: 'bytes',
  tx_hash: 'bytes',
  timestamp: 'integer',
  gas_spent: 'bytes',
} as const

/**
 * The sending end. `fee_amount` and `nonce` are big-endian without leading zeros; `gas_spent` is
 * gas × price in wei; `receipts` is 32 bytes of nonce and 20 of the relayer each.
 */
export const icmSend = table('icm_send', messageColumns, {
  key: ['message_id'],
  layout: 'keyed',
  sums: sumsBy('timestamp', secondsPerSum),
})

/**
 * Facts besides the ends of a message, as chains say them: the fee, newest total, and whether the receipt came back.
 * The word of `chain` counts where it is the sending one.
 */
export const icmSourceNote = table(
  'icm_source_note',
  {
    message_id: 'bytes',
    chain: 'text',
    fee_token: 'bytes?',
    fee_amount: 'bytes?',
    receipt_delivered: 'integer',
  },
  { key: ['message_id', 'chain'], layout: 'keyed', sums: {} },
)

/** The receiving end; it repeats the message, for when the sending chain is not indexed. */
export const icmReceive = table(
  'icm_receive',
  {
    ...messageColumns,
    reward_redeemer: 'bytes',
    deliverer: 'bytes',
  },
  { key: ['message_id'], layout: 'keyed', sums: sumsBy('timestamp', secondsPerSum) },
)

/** Messages whose call went through, at once or in a retry. */
export const icmExecuted = table(
  'icm_executed',
  { message_id: 'bytes' },
  { key: ['message_id'], layout: 'keyed', sums: {} },
)

/**
 * Lists, newest first read backwards. `subject` is a letter and what it is: `a` an address at
 * either end, `f` and `t` the sender and the recipient; `b` a blockchain at either end, `s` and `d`
 * the source and the destination; `*` everything. `network`: 0 mainnet, 1 the test network.
 */
export const icmList = table(
  'icm_list',
  { subject: 'bytes', network: 'integer', timestamp: 'integer', message_id: 'bytes' },
  {
    key: ['subject', 'network', 'timestamp', 'message_id'],
    layout: 'keyed',
    sums: sumsBy('timestamp', secondsPerSum),
  },
)

/**
 * Messages by hour and by the blockchains at their ends: sent for the first time, and received.
 * `hour` is its first second.
 */
export const icmHour = table(
  'icm_hour',
  {
    network: 'integer',
    hour: 'integer',
    source_id: 'bytes',
    destination_id: 'bytes',
    sent: 'integer',
    received: 'integer',
  },
  {
    key: ['network', 'hour', 'source_id', 'destination_id'],
    layout: 'keyed',
    sums: sumsBy('hour', secondsPerSum),
  },
)

/** In order of creation. */
export const icmTables = [
  icmSend,
  icmSourceNote,
  icmReceive,
  icmExecuted,
  icmList,
  icmHour,
] as const
