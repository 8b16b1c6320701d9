/**
 * Tables of one primary network: P-Chain, X-Chain and the C-Chain's atomic transactions.
 *
 * Facts lie in `rows` tables under `pos`, which orders everything of a chain as it happened (see
 * `primary-position.ts`). Addresses, node ids and assets are integers here. What no question
 * filters or sorts by is in a `body` of packed values.
 */

import { table } from '../engine/table.ts'
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
} from './primary-ledger.ts'
import { address, asset, node } from './primary-names.ts'
import {
  cycle,
  reward,
  rewardByAddress,
  stakeDay,
  staker,
  stakerByAddress,
  supply,
} from './primary-staking.ts'
import { blockchain, l1Change, l1Validator, subnet, subnetOwner } from './primary-subnets.ts'

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
  progress,
] as const
