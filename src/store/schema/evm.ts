/**
 * Tables of one EVM chain.
 *
 * Facts lie in `rows` tables under `pos` = height × 2^20 + place in the block, so that order of
 * history is order of key. Lists of an address or token are key-only tables beside them. Every
 * address and token is an integer here; bytes are looked up for the rows of a page.
 */

import { nftTables } from './nft.ts'
import { placesPerBlock, heightsPerSum, idsPerSum } from './sums.ts'
import { sumsBy, table } from './table.ts'

/** Rows that stay as they were written, by their place: those of frozen blocks lie in segments. */
const ofHistory = {
  sums: sumsBy('pos', placesPerBlock * heightsPerSum),
  freezes: 'whole',
} as const

/**
 * Addresses seen, numbered in order of first sight from 1. `cased` is the case of its EIP-55 text,
 * see `addresses.ts`.
 */
export const address = table(
  'address',
  { id: 'integer', bytes: 'bytes', cased: 'integer' },
  { key: ['id'], layout: 'rows', sums: sumsBy('id', idsPerSum, ['cased']) },
)

/**
 * Numbers by address. A table of its own and not an index, so that a batch writes it in its own
 * order and meets each page once.
 */
export const addressByBytes = table(
  'address_by_bytes',
  { bytes: 'bytes', id: 'integer' },
  { key: ['bytes'], layout: 'keyed', sums: sumsBy('id', idsPerSum) },
)

/**
 * Headers. `first_tx` counts the transactions of all blocks before; `fees` is Σ gas × price in
 * wei, big-endian; `hash_prefix` is the first 48 bits of the hash as an integer.
 */
export const block = table(
  'evm_block',
  {
    height: 'integer',
    hash: 'bytes',
    hash_prefix: 'integer',
    timestamp: 'integer',
    timestamp_ms: 'integer?',
    gas_used: 'integer',
    gas_limit: 'bytes',
    gas_cost: 'integer',
    min_delay_excess: 'integer?',
    base_fee: 'bytes?',
    tx_count: 'integer',
    first_tx: 'integer',
    fees: 'bytes',
    inputs: 'bytes',
  },
  {
    key: ['height'],
    layout: 'rows',
    sums: sumsBy('height', heightsPerSum),
    freezes: 'whole',
    indexes: [{ name: 'evm_block_by_hash', columns: ['hash_prefix'] }],
  },
)

/** Native transactions. `from_id` and so on name `address` rows; wide integers are big-endian. */
export const tx = table(
  'evm_transaction',
  {
    pos: 'integer',
    hash: 'bytes',
    from_id: 'integer',
    to_id: 'integer?',
    created_id: 'integer?',
    value: 'bytes',
    gas_limit: 'bytes',
    gas_used: 'integer',
    gas_price: 'bytes',
    max_fee: 'bytes?',
    max_priority_fee: 'bytes?',
    nonce: 'integer',
    type: 'integer',
    status: 'integer',
    input_length: 'integer',
    selector: 'integer',
  },
  { key: ['pos'], layout: 'rows', ...ofHistory },
)

/** Transactions by the first 48 bits of their hash; the whole hash is compared on reading. */
export const txByHash = table(
  'evm_transaction_by_hash',
  { hash_prefix: 'integer', pos: 'integer' },
  { key: ['hash_prefix', 'pos'], layout: 'keyed', ...ofHistory },
)

/** Failed transactions, a few in a hundred. */
export const txFailed = table(
  'evm_transaction_failed',
  { pos: 'integer' },
  { key: ['pos'], layout: 'rows', ...ofHistory },
)

/** Transactions an address sent, received or was created by. */
export const txByAddress = table(
  'evm_transaction_by_address',
  { address_id: 'integer', pos: 'integer' },
  { key: ['address_id', 'pos'], layout: 'keyed', ...ofHistory },
)

/**
 * Token transfers, `pos` counting the transfers of a block in log order.
 *
 * `kind` is a value of `transferKinds` in the codec; `tx_index` the place of the transaction.
 */
export const transfer = table(
  'transfer',
  {
    pos: 'integer',
    tx_index: 'integer',
    log_index: 'integer',
    batch_index: 'integer',
    kind: 'integer',
    token_id: 'integer',
    from_id: 'integer',
    to_id: 'integer',
    value: 'bytes',
    item: 'bytes?',
  },
  { key: ['pos'], layout: 'rows', ...ofHistory },
)

/** Lists of an address; `standard` is 20, 721 or 1155. */
export const transferByAddress = table(
  'transfer_by_address',
  { address_id: 'integer', standard: 'integer', pos: 'integer' },
  { key: ['address_id', 'standard', 'pos'], layout: 'keyed', ...ofHistory },
)

/** Lists of a token contract, all standards. */
export const transferByToken = table(
  'transfer_by_token',
  { token_id: 'integer', pos: 'integer' },
  { key: ['token_id', 'pos'], layout: 'keyed', ...ofHistory },
)

/** Internal transactions, `pos` counting the listed frames of a block in pre-order. */
export const internal = table(
  'internal',
  {
    pos: 'integer',
    tx_index: 'integer',
    kind: 'integer',
    from_id: 'integer',
    to_id: 'integer?',
    value: 'bytes',
    gas_limit: 'bytes',
    gas_used: 'integer',
    reverted: 'integer',
  },
  { key: ['pos'], layout: 'rows', ...ofHistory, stage: 'traces' },
)

/** Internal transactions of an address. */
export const internalByAddress = table(
  'internal_by_address',
  { address_id: 'integer', pos: 'integer' },
  { key: ['address_id', 'pos'], layout: 'keyed', ...ofHistory, stage: 'traces' },
)

/**
 * Running ERC-20 balances from logs, one row per (address, token, block) that changed it.
 *
 * `value` is the two's-complement-free magnitude, big-endian; `negative` 1 says logs alone give
 * less than nothing, which proves the token inexact. Once older blocks are frozen, both count from the
 * first block that is not; whoever reads them with segments is given the whole sum.
 */
export const balance = table(
  'balance',
  {
    address_id: 'integer',
    token_id: 'integer',
    height: 'integer',
    value: 'bytes',
    negative: 'integer',
  },
  {
    key: ['address_id', 'token_id', 'height'],
    layout: 'keyed',
    sums: sumsBy('height', heightsPerSum),
    freezes: 'running',
  },
)

/** Looks up the balance of a pair at a height: its newest row there or before. */
export const balanceAt = {
  table: balance,
  key: ['address_id', 'token_id'],
  select: ['value', 'negative'],
  last: 'height',
  isBounded: true,
} as const

/**
 * Addresses that a transfer of a token, of any standard, ever gave something to or took it from, each
 * with the height of the first one: who may hold it. The zero address is left out.
 */
export const holding = table(
  'holding',
  { token_id: 'integer', address_id: 'integer', since: 'integer' },
  {
    key: ['token_id', 'address_id'],
    layout: 'keyed',
    sums: sumsBy('since', heightsPerSum),
    freezes: 'first-rows',
  },
)

/**
 * Token contracts.
 *
 * `standard`: 20, 721, 1155 by the evidence of their logs and probes. `metadata_height`: 0 until
 * read; `metadata_at` and `compared_at` are Unix seconds, 0 for never. `decimals_reason` says why a
 * contract that was read gave none. `code` is the start of the
 * hash of the code when it was last looked at, `source` the contract whose code a proxy runs.
 * `inexact_height` is the block at which a balance differed from its logs, with the holder and the
 * reason; NULL while none is known to. `agreed` counts the looks since then in which none differed.
 * `transfers` and `holders` are as of the last look, see `asset.ts`.
 */
export const token = table(
  'token',
  {
    id: 'integer',
    standard: 'integer',
    first_height: 'integer',
    name: 'text?',
    symbol: 'text?',
    decimals: 'integer?',
    decimals_reason: 'text?',
    metadata_height: 'integer',
    metadata_at: 'integer',
    compared_at: 'integer',
    code: 'bytes?',
    source: 'bytes?',
    inexact_height: 'integer?',
    inexact_holder: 'integer?',
    inexact_reason: 'text?',
    agreed: 'integer',
    transfers: 'integer',
    holders: 'integer',
  },
  {
    key: ['id'],
    layout: 'rows',
    sums: sumsBy('id', idsPerSum, ['transfers', 'holders']),
    indexes: [
      { name: 'token_by_transfers', columns: ['transfers'] },
      { name: 'token_by_holders', columns: ['holders'] },
      { name: 'token_unread', columns: ['id'], where: 'metadata_height = 0' },
      { name: 'token_by_compared', columns: ['compared_at'] },
      { name: 'token_by_source', columns: ['source'], where: 'source is not null' },
    ],
  },
)

/**
 * Tokens by the words of their names and symbols, in small letters. Written when a token gave its
 * name and never removed: a reader checks whether the token still has the word.
 */
export const tokenWord = table(
  'token_word',
  { word: 'text', token_id: 'integer' },
  { key: ['word', 'token_id'], layout: 'keyed', sums: {} },
)

/** Logs kept whole for later stages; `kind` is a value of `eventKinds` in the codec. */
export const event = table(
  'event',
  {
    pos: 'integer',
    tx_index: 'integer',
    log_index: 'integer',
    kind: 'integer',
    address_id: 'integer',
    topics: 'bytes',
    data: 'bytes',
  },
  { key: ['pos'], layout: 'rows', ...ofHistory },
)

/** Kept logs by kind. */
export const eventByKind = table(
  'event_by_kind',
  { kind: 'integer', pos: 'integer' },
  { key: ['kind', 'pos'], layout: 'keyed', ...ofHistory },
)

/**
 * Ends of the chain that were taken away and held messenger logs, so that what these left in the
 * store of messages is taken back, too. `message_ids` is 32 bytes each; `height` the first one
 * taken away.
 */
export const cutMessages = table(
  'cut_messages',
  { number: 'integer', height: 'integer', message_ids: 'bytes' },
  { key: ['number'], layout: 'keyed', sums: {} },
)

/** In order of creation. */
export const evmTables = [
  address,
  addressByBytes,
  block,
  tx,
  txByHash,
  txFailed,
  txByAddress,
  transfer,
  transferByAddress,
  transferByToken,
  internal,
  internalByAddress,
  balance,
  holding,
  token,
  tokenWord,
  event,
  eventByKind,
  ...nftTables,
  cutMessages,
] as const
