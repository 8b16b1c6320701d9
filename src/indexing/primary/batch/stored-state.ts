/**
 * Rows written before that replay needs: the interface to the store, in plain data.
 *
 * Replay itself is synchronous and pure. Around each batch the caller takes ids from `inputsOf…`,
 * looks them up at once ({@link UtxoReader}), and hands the answers to `apply…`. After any fault,
 * in replay or in the store, the in-memory state is void: load it again.
 */

import type { OutputPlace } from '../../../codec/primary/ids.ts'
import type { AssetNumber } from './asset-numbers.ts'
import type { ChainName, Consumption, KnownUtxo } from './ledger-rows.ts'
import type { Checkpoint } from './rows.ts'
import type { StakerRow, SupplyRow } from './staking-rows.ts'
import type { L1ValidatorRow, SubnetRow } from './subnet-rows.ts'

/** An import waiting for its export, see `EarlyImportRow`. */
export type KnownImport = {
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly assetId: Uint8Array
  readonly amount: bigint
  readonly consumed: Consumption
}

/**
 * Outputs a batch needs looked up: inputs, by their places; and exports and imports, which may be
 * early imports, by `outputKeyOf`.
 */
export type Wanted = {
  readonly inputs: readonly OutputPlace[]
  readonly sharedKeys: readonly string[]
}

/** Result of the look-up, in any order; rows that are not stored are left out. */
export type Found = {
  readonly utxos: readonly KnownUtxo[]
  readonly earlyImports: readonly KnownImport[]
}

/** Batched look-up in the store, by primary key. At most a batch's inputs at a time. */
export type UtxoReader = { readonly find: (wanted: Wanted, signal: AbortSignal) => Promise<Found> }

/** Everything the P-Chain's replay keeps in memory, as stored rows. */
export type PStateRows = {
  readonly checkpoint: Checkpoint
  /** Stakers that are pending or active. */
  readonly stakers: readonly StakerRow[]
  readonly subnets: readonly SubnetRow[]
  /** L1 validators that are not removed. */
  readonly l1Validators: readonly L1ValidatorRow[]
  readonly supplies: readonly SupplyRow[]
}

/** The store's reading side. */
export type StoredState = UtxoReader & {
  /** Where `chain` stands; `undefined` before its first batch. */
  readonly checkpoint: (chain: ChainName) => Promise<Checkpoint | undefined>
  /** Every asset that has a number. */
  readonly assets: () => Promise<AssetNumber[]>
  /** State that the P-Chain's replay holds in memory; `undefined` before its first batch. */
  readonly pState: () => Promise<PStateRows | undefined>
}
