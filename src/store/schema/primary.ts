/**
 * Tables of one primary network: P-Chain, X-Chain and the C-Chain's atomic transactions.
 *
 * Facts lie in `rows` tables under `pos`, which orders everything of a chain as it happened (see
 * `primary-position.ts`). Addresses, node ids and assets are integers here. What no question
 * filters or sorts by is in a `body` of packed values.
 */

import { table } from '../engine/table.ts'

/** Addresses seen, numbered from 1; those of EVM accounts have a zero byte before them. */
export const address = table(
  'address',
  { id: 'integer', bytes: 'bytes' },
  {
    key: ['id'],
    layout: 'rows',
    indexes: [{ name: 'address_by_bytes', columns: ['bytes'], unique: true }],
  },
)

/** Node ids seen, with their text, which callers search by parts. */
export const node = table(
  'node',
  { id: 'integer', bytes: 'bytes', text: 'text' },
  {
    key: ['id'],
    layout: 'rows',
    indexes: [{ name: 'node_by_bytes', columns: ['bytes'], unique: true }],
  },
)

/** Assets seen; names are absent until the X-Chain's creation of the asset is indexed. */
export const asset = table(
  'asset',
  {
    id: 'integer',
    asset_id: 'bytes',
    name: 'text?',
    symbol: 'text?',
    denomination: 'integer?',
    kind: 'text?',
    variable_cap: 'integer?',
    created_at: 'integer?',
  },
  {
    key: ['id'],
    layout: 'rows',
    indexes: [{ name: 'asset_by_id', columns: ['asset_id'], unique: true }],
  },
)

/**
 * Blocks. `id` is the chain's and height's part of `pos`. `supply` and `l1_fees` in nAVAX, P-Chain
 * only; the proposer's columns are known only from an Index API.
 */
export const block = table(
  'block',
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
    indexes: [
      { name: 'block_by_hash', columns: ['hash'] },
      { name: 'block_by_proposer', columns: ['proposer', 'id'], where: 'proposer is not null' },
    ],
  },
)

/**
 * Blocks as the node gave them, from which everything else is made again without one.
 *
 * `bytes` are compressed by `method`: 0 not at all, 1 zstd. Of the C-Chain only what its atomic
 * transactions need. Row -1 holds the genesis.
 */
export const rawBlock = table(
  'raw_block',
  { id: 'integer', method: 'integer', bytes: 'bytes' },
  { key: ['id'], layout: 'rows' },
)

/**
 * Transactions. `first_utxo` and `utxo_count` name the UTXOs it made, which are numbered in
 * order. `committed` 0: a proposal voted down.
 */
export const tx = table(
  'tx',
  {
    pos: 'integer',
    tx_id: 'bytes',
    type: 'integer',
    committed: 'integer',
    timestamp: 'integer',
    size_bytes: 'integer',
    first_utxo: 'integer',
    utxo_count: 'integer',
    body: 'bytes',
  },
  {
    key: ['pos'],
    layout: 'rows',
    indexes: [{ name: 'tx_by_id', columns: ['tx_id', 'pos'] }],
  },
)

/** Transactions that concern an address. `type` as in {@link tx}, to filter by. */
export const txByAddress = table(
  'tx_by_address',
  { address_id: 'integer', pos: 'integer', type: 'integer' },
  { key: ['address_id', 'pos'], layout: 'keyed' },
)

/**
 * UTXOs, numbered in order of creation.
 *
 * `chain` and `target` are where it was made and where it is or can be consumed. `output` is the
 * wire form, locks included. `kind` has the bits of `primary-position.ts`. `amount` is cut at
 * 2^63 - 1; the exact one is in `output`.
 */
export const utxo = table(
  'utxo',
  {
    id: 'integer',
    utxo_id: 'bytes',
    tx_id: 'bytes',
    output_index: 'integer',
    chain: 'integer',
    target: 'integer',
    asset: 'integer',
    kind: 'integer',
    reward: 'integer',
    amount: 'amount',
    output: 'bytes',
    created_pos: 'integer',
    created_at: 'integer',
    spent_pos: 'integer?',
    spent_at: 'integer?',
    stake_start: 'integer?',
    stake_end: 'integer?',
    returned_at: 'integer?',
  },
  {
    key: ['id'],
    layout: 'rows',
    indexes: [
      { name: 'utxo_by_id', columns: ['utxo_id'], unique: true },
      { name: 'utxo_by_spender', columns: ['spent_pos', 'id'], where: 'spent_pos is not null' },
    ],
  },
)

/**
 * UTXOs of an address, once for each chain in whose lists they stand (`place`).
 *
 * `tie` is the first 48 bits of the UTXO id, which orders equals; `needed` the signatures needed.
 * The two partial indexes answer the lists of what is unspent and the balances without a look at
 * the rows; `spent_at` is in them because SQLite otherwise reads the row to test it.
 */
export const holding = table(
  'holding',
  {
    address_id: 'integer',
    place: 'integer',
    created_at: 'integer',
    tie: 'integer',
    utxo: 'integer',
    amount: 'amount',
    asset: 'integer',
    kind: 'integer',
    needed: 'integer',
    spent_at: 'integer?',
  },
  {
    key: ['address_id', 'place', 'created_at', 'tie', 'utxo'],
    layout: 'keyed',
    indexes: [
      {
        name: 'holding_open',
        columns: [
          'address_id',
          'place',
          'created_at',
          'tie',
          'utxo',
          'amount',
          'asset',
          'kind',
          'needed',
          'spent_at',
        ],
        where: 'spent_at is null',
      },
      {
        name: 'holding_open_by_amount',
        columns: ['address_id', 'place', 'amount', 'tie', 'utxo', 'asset', 'needed', 'spent_at'],
        where: 'spent_at is null',
      },
    ],
  },
)

/** Imports whose export is not indexed yet. */
export const earlyImport = table(
  'early_import',
  { utxo_id: 'bytes', body: 'bytes' },
  { key: ['utxo_id'], layout: 'keyed' },
)

/**
 * Validating and delegating periods under the `pos` of their transaction.
 *
 * `role` 0 validator, 1 delegator; `status` 0 pending, 1 active, 2 completed, 3 removed. Columns
 * validators are sorted by are -1 (`shares`, `capacity`, `uptime`) or 0 (`until`) where they mean
 * nothing. `uptime` is in ten-thousandths of a percent as the polled node saw it.
 */
export const staker = table(
  'staker',
  {
    pos: 'integer',
    tx_id: 'bytes',
    role: 'integer',
    status: 'integer',
    subnet_id: 'bytes',
    node: 'integer',
    validator_tx: 'bytes?',
    until: 'integer',
    shares: 'integer',
    capacity: 'amount',
    uptime: 'integer',
    connected: 'integer',
    activated_height: 'integer?',
    ended_height: 'integer?',
    body: 'bytes',
  },
  {
    key: ['pos'],
    layout: 'rows',
    indexes: [
      { name: 'staker_by_tx', columns: ['tx_id'], unique: true },
      { name: 'staker_by_status', columns: ['role', 'status', 'pos'] },
      { name: 'staker_by_node', columns: ['node', 'role', 'pos'] },
      { name: 'staker_by_until', columns: ['role', 'status', 'until', 'pos'] },
      { name: 'staker_by_shares', columns: ['status', 'shares', 'pos'], where: 'role = 0' },
      { name: 'staker_by_capacity', columns: ['status', 'capacity', 'pos'], where: 'role = 0' },
      { name: 'staker_by_uptime', columns: ['status', 'uptime', 'pos'], where: 'role = 0' },
      {
        name: 'staker_by_validator',
        columns: ['validator_tx', 'pos'],
        where: 'validator_tx is not null',
      },
      { name: 'staker_by_end', columns: ['subnet_id', 'ended_height'] },
    ],
  },
)

/** Staking periods by the owners of their rewards and stakes. */
export const stakerByAddress = table(
  'staker_by_address',
  { address_id: 'integer', pos: 'integer' },
  { key: ['address_id', 'pos'], layout: 'keyed' },
)

/** Rewards paid; `utxo` names the UTXO, which grows with time. */
export const reward = table(
  'reward',
  { utxo: 'integer', staker_tx: 'bytes', node: 'integer', body: 'bytes' },
  {
    key: ['utxo'],
    layout: 'rows',
    indexes: [
      { name: 'reward_by_node', columns: ['node', 'utxo'] },
      { name: 'reward_by_staker', columns: ['staker_tx', 'utxo'] },
    ],
  },
)

/** Rewards by owner. */
export const rewardByAddress = table(
  'reward_by_address',
  { address_id: 'integer', utxo: 'integer' },
  { key: ['address_id', 'utxo'], layout: 'keyed' },
)

/** Subnets under the `pos` of their transaction. */
export const subnet = table(
  'subnet',
  { pos: 'integer', subnet_id: 'bytes', body: 'bytes' },
  {
    key: ['pos'],
    layout: 'rows',
    indexes: [{ name: 'subnet_by_id', columns: ['subnet_id'], unique: true }],
  },
)

/** Owners a subnet had, each from `pos` on. */
export const subnetOwner = table(
  'subnet_owner',
  { subnet_id: 'bytes', pos: 'integer', body: 'bytes' },
  { key: ['subnet_id', 'pos'], layout: 'keyed' },
)

/** Chains under the `pos` of their transaction. */
export const blockchain = table(
  'blockchain',
  {
    pos: 'integer',
    blockchain_id: 'bytes',
    subnet_id: 'bytes',
    vm_id: 'bytes',
    name: 'text',
    evm_chain_id: 'integer?',
    timestamp: 'integer',
    genesis: 'bytes',
  },
  {
    key: ['pos'],
    layout: 'rows',
    indexes: [
      { name: 'blockchain_by_id', columns: ['blockchain_id'], unique: true },
      { name: 'blockchain_by_subnet', columns: ['subnet_id', 'pos'] },
    ],
  },
)

/**
 * Validations of L1s, numbered in order of creation. `active` 0: its balance ran out, it was
 * disabled or removed.
 */
export const l1Validator = table(
  'l1_validator',
  {
    id: 'integer',
    validation_id: 'bytes',
    subnet_id: 'bytes',
    node: 'integer',
    active: 'integer',
    removed_height: 'integer?',
    body: 'bytes',
  },
  {
    key: ['id'],
    layout: 'rows',
    indexes: [
      { name: 'l1_validator_by_id', columns: ['validation_id'], unique: true },
      { name: 'l1_validator_by_state', columns: ['active', 'id'] },
      { name: 'l1_validator_by_subnet', columns: ['subnet_id', 'active', 'id'] },
      { name: 'l1_validator_by_node', columns: ['node', 'id'] },
    ],
  },
)

/** What happened to L1 validations; `pos` -1 stands for the end of a balance without a transaction. */
export const l1Change = table(
  'l1_change',
  { l1_id: 'integer', height: 'integer', pos: 'integer', body: 'bytes' },
  {
    key: ['l1_id', 'height', 'pos'],
    layout: 'keyed',
    indexes: [{ name: 'l1_change_by_pos', columns: ['pos', 'l1_id'], where: 'pos >= 0' }],
  },
)

/** Supply of each subnet's staking asset, eight bytes. */
export const supply = table(
  'supply',
  { subnet_id: 'bytes', amount: 'bytes' },
  { key: ['subnet_id'], layout: 'keyed' },
)

/** Where each chain stands besides its height: chain time, fees and excess of L1 validators. */
export const progress = table(
  'progress',
  { chain: 'text', body: 'bytes' },
  { key: ['chain'], layout: 'keyed' },
)

/** In order of creation. */
export const primaryTables = [
  address,
  node,
  asset,
  block,
  rawBlock,
  tx,
  txByAddress,
  utxo,
  holding,
  earlyImport,
  staker,
  stakerByAddress,
  reward,
  rewardByAddress,
  subnet,
  subnetOwner,
  blockchain,
  l1Validator,
  l1Change,
  supply,
  progress,
] as const
