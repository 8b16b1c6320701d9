/** Tables of staking periods, rewards, subnets, chains and L1 validators. */

import { blocksPerSum, placesPerSum, secondsPerSum, utxosPerSum, idsPerSum } from '../sums.ts'
import { sumsBy, table } from '../table.ts'

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
    sums: sumsBy('pos', placesPerSum, ['uptime', 'connected']),
    indexes: [
      { name: 'staker_by_status', columns: ['role', 'status', 'pos'] },
      { name: 'staker_by_node', columns: ['node', 'role', 'pos'] },
      { name: 'staker_by_until', columns: ['status', 'until', 'pos'], where: 'role = 0' },
      { name: 'staker_by_shares', columns: ['status', 'shares', 'pos'], where: 'role = 0' },
      { name: 'staker_by_capacity', columns: ['status', 'capacity', 'pos'], where: 'role = 0' },
      { name: 'staker_by_uptime', columns: ['status', 'uptime', 'pos'], where: 'role = 0' },
      {
        name: 'staker_by_validator',
        columns: ['validator_tx', 'pos'],
        where: 'validator_tx is not null',
      },
      { name: 'staker_by_end', columns: ['subnet_id', 'ended_height'] },
      { name: 'staker_by_start', columns: ['subnet_id', 'activated_height'] },
    ],
  },
)

/** Staking periods by the owners of their rewards and stakes. */
export const stakerByAddress = table(
  'staker_by_address',
  { address_id: 'integer', pos: 'integer' },
  { key: ['address_id', 'pos'], layout: 'keyed', sums: sumsBy('pos', placesPerSum) },
)

/**
 * Settled cycles of auto-renewed validators: `staker` is the `pos` of the staking transaction,
 * `number` counts from 1, `height` is that from which sets of validators show what was decided. A
 * validator weighed what its first cycle settled later says, else what it weighs now.
 */
export const cycle = table(
  'cycle',
  { staker: 'integer', number: 'integer', height: 'integer', body: 'bytes' },
  {
    key: ['staker', 'number'],
    layout: 'keyed',
    sums: sumsBy('height', blocksPerSum),
    indexes: [{ name: 'cycle_by_height', columns: ['height'] }],
  },
)

/**
 * Active stakers of subnets after the last change of a day: `day` is its first second. Days without
 * a change have no row.
 */
export const stakeDay = table(
  'stake_day',
  { subnet_id: 'bytes', day: 'integer', body: 'bytes' },
  { key: ['subnet_id', 'day'], layout: 'keyed', sums: sumsBy('day', secondsPerSum) },
)

/** Rewards paid; `utxo` names the UTXO, which grows with time. */
export const reward = table(
  'reward',
  { utxo: 'integer', staker_tx: 'bytes', node: 'integer', body: 'bytes' },
  {
    key: ['utxo'],
    layout: 'rows',
    sums: sumsBy('utxo', utxosPerSum),
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
  { key: ['address_id', 'utxo'], layout: 'keyed', sums: sumsBy('utxo', utxosPerSum) },
)

/** Supply of each subnet's staking asset, eight bytes. */
export const supply = table(
  'supply',
  { subnet_id: 'bytes', amount: 'bytes' },
  { key: ['subnet_id'], layout: 'keyed', sums: {} },
)

/** Subnets under the `pos` of their transaction. */
export const subnet = table(
  'subnet',
  { pos: 'integer', subnet_id: 'bytes', body: 'bytes' },
  {
    key: ['pos'],
    layout: 'rows',
    sums: sumsBy('pos', placesPerSum),
    indexes: [{ name: 'subnet_by_id', columns: ['subnet_id'], unique: true }],
  },
)

/** Owners a subnet had, each from `pos` on. */
export const subnetOwner = table(
  'subnet_owner',
  { subnet_id: 'bytes', pos: 'integer', body: 'bytes' },
  { key: ['subnet_id', 'pos'], layout: 'keyed', sums: sumsBy('pos', placesPerSum) },
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
    sums: sumsBy('pos', placesPerSum),
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
    sums: sumsBy('id', idsPerSum),
    indexes: [
      { name: 'l1_validator_by_id', columns: ['validation_id'], unique: true },
      { name: 'l1_validator_by_state', columns: ['active', 'id'] },
      { name: 'l1_validator_by_subnet', columns: ['subnet_id', 'active', 'id'] },
      { name: 'l1_validator_by_node', columns: ['node', 'id'] },
    ],
  },
)

/**
 * Events of L1 validations, in order. A balance that ran out has no transaction: its `pos`
 * is -1 where that came before the transactions of the block, `posAfter` where it came after them.
 */
export const l1Change = table(
  'l1_change',
  { l1_id: 'integer', height: 'integer', pos: 'integer', body: 'bytes' },
  {
    key: ['l1_id', 'height', 'pos'],
    layout: 'keyed',
    sums: sumsBy('height', blocksPerSum),
    indexes: [{ name: 'l1_change_by_pos', columns: ['pos', 'l1_id'], where: 'pos >= 0' }],
  },
)
