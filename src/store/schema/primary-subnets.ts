/** Subnets, their chains, and the validations of those that became L1s. */

import { sumsBy, table } from '../engine/table.ts'
import { blocksPerSum, idsPerSum, placesPerSum } from './sum-ranges.ts'

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
