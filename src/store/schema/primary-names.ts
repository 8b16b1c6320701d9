/** Names of one primary network's store: addresses, node ids and assets as small integers. */

import { sumsBy, table } from '../engine/table.ts'
import { idsPerSum } from './sum-ranges.ts'

/**
 * Addresses seen, numbered from 1; those of EVM accounts have a zero byte before them. Nobody asks
 * for the address of a number: outputs have their owners' bytes.
 */
export const address = table(
  'address',
  { bytes: 'bytes', id: 'integer' },
  { key: ['bytes'], layout: 'keyed', sums: sumsBy('id', idsPerSum) },
)

/** Node ids seen, with their text, which callers search by parts. */
export const node = table(
  'node',
  { id: 'integer', bytes: 'bytes', text: 'text' },
  {
    key: ['id'],
    layout: 'rows',
    sums: sumsBy('id', idsPerSum),
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
    sums: sumsBy('id', idsPerSum),
    indexes: [{ name: 'asset_by_id', columns: ['asset_id'], unique: true }],
  },
)
