/**
 * Tables of the blocks of the primary network: blocks, transactions, UTXOs and their owners.
 *
 * Facts lie under `pos` or a UTXO's number in the order they happened, each with a `body` of what
 * no question filters or sorts by. What happens to a UTXO later stands in tables of its own, so
 * that no fact is ever changed: {@link spend}, {@link stakeReturn}, {@link lateSpend}.
 */

import { blocksPerSum, placesPerSum, utxosPerSum } from '../sums.ts'
import { sumsBy, table } from '../table.ts'

/**
 * Blocks. `id` is the chain's and height's part of `pos`. `supply` and `l1_fees` in nAVAX, P-Chain
 * only; the proposer's columns are known from a complete Index API and from peers.
 */
export const block = table(
  'primary_block',
  {
    id: 'integer',
    hash: 'bytes',
    parent: 'bytes',
    type: 'integer',
    timestamp: 'integer',
    size_bytes: 'integer',
    tx_count: 'integer',
    supply: 'amount?',
    l1_fees: 'amount?',
    l1_active: 'integer?',
    outer_id: 'bytes?',
    outer_parent: 'bytes?',
    proposer: 'integer?',
    proposer_height: 'integer?',
    proposer_time: 'integer?',
  },
  {
    key: ['id'],
    layout: 'rows',
    sums: sumsBy('id', blocksPerSum),
    indexes: [
      {
        name: 'primary_block_by_proposer',
        columns: ['proposer', 'id'],
        where: 'proposer is not null',
      },
    ],
  },
)

/** Blocks by the first 32 bits of their hashes, as {@link txById} is for transactions. */
export const blockByHash = table(
  'primary_block_by_hash',
  { prefix: 'integer', id: 'integer' },
  { key: ['prefix', 'id'], layout: 'keyed', sums: sumsBy('id', blocksPerSum) },
)

/**
 * Blocks as the node gave them, from which everything else is made again without one: several to a
 * row, under the id of the last.
 *
 * `bytes` are compressed by `method`: 0 not at all, 1 zstd. Of the C-Chain only what its atomic
 * transactions need. Row -1 holds the genesis.
 */
export const rawBlock = table(
  'raw_block',
  { id: 'integer', method: 'integer', bytes: 'bytes' },
  { key: ['id'], layout: 'rows', sums: sumsBy('id', blocksPerSum) },
)

/**
 * Transactions. The body knows what it made, UTXOs numbered in order, and what it spent, by number.
 */
export const tx = table(
  'primary_transaction',
  { pos: 'integer', tx_id: 'bytes', body: 'bytes' },
  { key: ['pos'], layout: 'rows', sums: sumsBy('pos', placesPerSum) },
)

/**
 * Transactions by the first 32 bits of their ids. Other ids may begin so too: the row decides. A
 * tenth of the bytes of an index of whole ids, and written in its own order.
 */
export const txById = table(
  'primary_transaction_by_id',
  { prefix: 'integer', pos: 'integer' },
  { key: ['prefix', 'pos'], layout: 'keyed', sums: sumsBy('pos', placesPerSum) },
)

/** Transactions that concern an address. `type`: wire type id, to filter by. */
export const txByAddress = table(
  'primary_transaction_by_address',
  { address_id: 'integer', pos: 'integer', type: 'integer' },
  { key: ['address_id', 'pos'], layout: 'keyed', sums: sumsBy('pos', placesPerSum) },
)

/**
 * X-Chain transactions that touch an asset, by its number. Of AVAX only those that are no ordinary
 * transfers: nearly every transaction moves it. `type`: wire type id, to filter by.
 */
export const txByAsset = table(
  'primary_transaction_by_asset',
  { asset: 'integer', pos: 'integer', type: 'integer' },
  { key: ['asset', 'pos'], layout: 'keyed', sums: sumsBy('pos', placesPerSum) },
)

/** UTXOs, several to a row under the number of the last: see `utxo-row.ts`. */
export const utxo = table(
  'utxo',
  { id: 'integer', body: 'bytes' },
  { key: ['id'], layout: 'rows', sums: sumsBy('id', utxosPerSum) },
)

/**
 * UTXOs another transaction made than the one they are named for, or none: rewards and genesis.
 * `prefix` is that of the id they are named for.
 */
export const strayUtxo = table(
  'stray_utxo',
  { prefix: 'integer', utxo: 'integer' },
  { key: ['prefix', 'utxo'], layout: 'keyed', sums: sumsBy('utxo', utxosPerSum) },
)

/** UTXOs that are spent: the place of the transaction, and its time in Unix seconds. */
export const spend = table(
  'spend',
  { utxo: 'integer', pos: 'integer', spent_at: 'integer' },
  { key: ['utxo'], layout: 'rows', sums: sumsBy('utxo', utxosPerSum) },
)

/** UTXOs spent before they were known, by the place of the import: its body does not name them. */
export const lateSpend = table(
  'late_spend',
  { pos: 'integer', utxo: 'integer' },
  { key: ['pos', 'utxo'], layout: 'keyed', sums: sumsBy('pos', placesPerSum) },
)

/** Staked UTXOs that came back, and when, in Unix seconds. */
export const stakeReturn = table(
  'stake_return',
  { utxo: 'integer', returned_at: 'integer' },
  { key: ['utxo'], layout: 'rows', sums: sumsBy('utxo', utxosPerSum) },
)

/** An entry of a list of UTXOs. */
const holding = {
  list: 'integer',
  created_at: 'integer',
  utxo: 'integer',
  amount: 'amount',
  traits: 'integer',
} as const

/**
 * Unspent UTXOs of an address by time, once for each chain in whose lists they stand. `list` and
 * `traits` are packed as `holding.ts` says; `amount` is cut at 2^63 - 1. Lists and balances
 * are answered without a look at the UTXOs.
 *
 * Those of long lists are `ordered`, 1 and not 0: an index has them by amount, too.
 */
export const openHolding = table(
  'open_holding',
  { ...holding, ordered: 'integer' },
  {
    key: ['list', 'created_at', 'utxo'],
    layout: 'keyed',
    sums: sumsBy('utxo', utxosPerSum, ['ordered']),
    indexes: [
      {
        name: 'open_by_amount',
        columns: ['list', 'amount', 'utxo', 'traits'],
        where: 'ordered = 1',
      },
    ],
  },
)

/** Lists all of whose entries are `ordered`, once and for ever. */
export const orderedList = table(
  'ordered_list',
  { list: 'integer' },
  { key: ['list'], layout: 'rows', sums: {} },
)

/** Spent UTXOs of an address: an entry of {@link openHolding} moves here. */
export const spentHolding = table(
  'spent_holding',
  { ...holding, spent_at: 'integer' },
  { key: ['list', 'created_at', 'utxo'], layout: 'keyed', sums: sumsBy('utxo', utxosPerSum) },
)

/** Imports whose export is not indexed yet, by id of the transaction and index of the output. */
export const earlyImport = table(
  'early_import',
  { tx_id: 'bytes', output_index: 'integer', body: 'bytes' },
  { key: ['tx_id', 'output_index'], layout: 'keyed', sums: {} },
)
