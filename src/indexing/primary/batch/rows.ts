/**
 * Rows that indexing the primary network writes, for one batch of blocks of one chain.
 *
 * This file is the contract between the replay (the folder `replay`) and
 * the store. The store writes a {@link RowBatch} and its `checkpoint` in one transaction and adds
 * nothing of its own. Within a batch every list is in the order things happened; a row that
 * changes twice in a batch appears once, with its last values.
 *
 * - Ids, addresses and keys are bytes (32, 20, 48); times are Unix seconds; heights are numbers.
 * - Amounts, weights and locktimes are bigint and may reach 2^64 - 1 (X-Chain assets, subnet
 *   weights, nonsense locktimes). AVAX amounts are nAVAX and stay below 2^60.
 * - `undefined` means absent. A field that is always there is never `undefined`.
 * - Blocks of the P-Chain's proposals enter a batch only together with their option.
 * - X-Chain transactions from before the chain became linear have heights below 0, in the order of
 *   the node's index; their time is that of the newest output they spend, a lower bound.
 */

import type { AssetNumber } from './asset-numbers.ts'
import type { BlockColumns } from './block-columns.ts'
import type {
  ChainName,
  StakeReturnRow,
  EarlyImportRow,
  ImportCompletionRow,
  AssetRow,
  AssetTransaction,
} from './ledger-rows.ts'
import type { LedgerColumns } from './ledger.ts'
import type { StakersOfBatch } from './staker-columns.ts'
import type { CycleRow, RewardRow, StakeDayRow, SupplyRow } from './staking-rows.ts'
import type {
  SubnetRow,
  SubnetOwnerRow,
  BlockchainRow,
  L1ValidatorRow,
  L1ChangeRow,
} from './subnet-rows.ts'

/** Where a chain stands after a batch. One per chain. */
export type Checkpoint = {
  readonly chain: ChainName
  readonly height: number
  readonly blockId: Uint8Array
  /** Chain time; on the P-Chain what every rule looks at. */
  readonly time: number
  /** P only, else 0: continuous fee of L1 validators. */
  readonly l1AccruedFees: bigint
  readonly l1FeeExcess: bigint
  /** Number of the next UTXO it makes. */
  readonly nextUtxo: number
  /**
   * nAVAX that its transactions burned since genesis: fees, and what went into balances of L1
   * validators less what came back. `undefined`: not counted from the start.
   */
  readonly burned: bigint | undefined
}

/** All rows of blocks `from` to `until` (exclusive) of one chain; none when they are equal. */
export type RowBatch = {
  readonly chain: ChainName
  /** Height of the chain's rows before this batch; `undefined`: there are none. */
  readonly follows: number | undefined
  readonly from: number
  readonly until: number
  readonly blocks: BlockColumns
  readonly ledger: LedgerColumns
  /** Assets that were given numbers. */
  readonly newAssets: readonly AssetNumber[]
  readonly stakeReturns: readonly StakeReturnRow[]
  readonly earlyImports: readonly EarlyImportRow[]
  readonly importCompletions: readonly ImportCompletionRow[]
  readonly stakers: StakersOfBatch
  readonly cycles: readonly CycleRow[]
  readonly stakeDays: readonly StakeDayRow[]
  readonly rewards: readonly RewardRow[]
  readonly subnets: readonly SubnetRow[]
  readonly subnetOwners: readonly SubnetOwnerRow[]
  readonly blockchains: readonly BlockchainRow[]
  readonly assets: readonly AssetRow[]
  readonly assetTransactions: readonly AssetTransaction[]
  readonly l1Validators: readonly L1ValidatorRow[]
  readonly l1Changes: readonly L1ChangeRow[]
  readonly supplies: readonly SupplyRow[]
  readonly checkpoint: Checkpoint
}
