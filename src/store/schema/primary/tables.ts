/** Tables of one primary network: P-Chain, X-Chain and the C-Chain's atomic transactions. */

import { idsPerSum } from '../sums.ts'
import { sumsBy, table } from '../table.ts'
import {
  block,
  blockByHash,
  earlyImport,
  lateSpend,
  openHolding,
  orderedList,
  rawBlock,
  spend,
  spentHolding,
  stakeReturn,
  strayUtxo,
  tx,
  txByAddress,
  txByAsset,
  txById,
  utxo,
} from './ledger.ts'
import { passedSlot, proposerDay } from './proposing.ts'
import {
  cycle,
  reward,
  rewardByAddress,
  stakeDay,
  staker,
  stakerByAddress,
  supply,
  blockchain,
  l1Change,
  l1Validator,
  subnet,
  subnetOwner,
} from './staking.ts'

/**
 * Addresses seen, numbered from 1; those of EVM accounts have a zero byte before them. Nobody looks
 * up the address of a number: outputs have their owners' bytes.
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

// Tables of one primary network: P-Chain, X-Chain and the C-Chain's atomic transactions.
//
// Facts lie in `rows` tables under `pos`, which orders everything of a chain as it happened (see
// `position.ts`). Addresses, node ids and assets are integers here. What no question
// filters or sorts by is in a `body` of packed values.

/** Where each chain stands besides its height: chain time, fees and excess of L1 validators. */
export const progress = table(
  'progress',
  { chain: 'text', body: 'bytes' },
  { key: ['chain'], layout: 'keyed', sums: {} },
)

/** How the newest batches of a chain are taken back, by the height that each ends at; see `write/undo.ts`. */
export const undo = table(
  'undo',
  { chain: 'text', height: 'integer', body: 'bytes' },
  { key: ['chain', 'height'], layout: 'keyed' },
)

/** In order of creation. */
export const primaryTables = [
  address,
  node,
  asset,
  block,
  blockByHash,
  rawBlock,
  tx,
  txById,
  txByAddress,
  txByAsset,
  utxo,
  strayUtxo,
  spend,
  lateSpend,
  stakeReturn,
  openHolding,
  orderedList,
  spentHolding,
  earlyImport,
  staker,
  stakerByAddress,
  cycle,
  stakeDay,
  reward,
  rewardByAddress,
  subnet,
  subnetOwner,
  blockchain,
  l1Validator,
  l1Change,
  supply,
  passedSlot,
  proposerDay,
  progress,
] as const
