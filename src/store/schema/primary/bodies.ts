/** Layouts of the `body` columns of the primary network's tables. Fields are those of the rows. */

import {
  big,
  bytes,
  count,
  flag,
  layout,
  list,
  maybe,
  type RecordOf,
} from '../packed/packed-record.ts'

type BodyOf<L> = L extends { readonly fromBytes: (bytes: Uint8Array) => infer R } ? R : never

/** Who may spend or decide; `locktime` in Unix seconds. */
const ownerLayout = layout({ locktime: big, threshold: count, addresses: list(bytes) })
/** Record of {@link ownerLayout}. */
export type StoredOwner = BodyOf<typeof ownerLayout>

const l1Owner = layout({ threshold: count, addresses: list(bytes) })

/** Amount of the asset with number `asset`. */
const amount = layout({ asset: count, amount: big })
/** One amount in a body. */
export type StoredAmount = RecordOf<{ asset: typeof count; amount: typeof big }>

const evmSide = layout({
  address: bytes,
  amount: big,
  asset: count,
  signatures: list(bytes),
})
/** One side of an atomic transaction on the EVM chain. */
export type StoredEvmSide = BodyOf<typeof evmSide>

const txStartFields = {
  typeId: count,
  time: count,
  committed: flag,
  firstUtxo: count,
  utxoCount: count,
} as const

/** Beginning of {@link txBody}. */
export const txStart = layout(txStartFields)

/**
 * Body of `primary_transaction`. Shares are millionths, times Unix seconds. `firstUtxo` and `utxoCount` name the
 * UTXOs it made, `spent` those it spent, in the order of its inputs; `typeId` is that of its
 * chain's wire form. `period` in seconds, 0: no more. Not `committed`: a proposal that was voted
 * down.
 */
export const txBody = layout({
  ...txStartFields,
  spent: list(count),
  consumed: list(amount),
  value: list(amount),
  burned: list(amount),
  staked: list(amount),
  memo: maybe(bytes),
  sourceChain: maybe(bytes),
  destinationChain: maybe(bytes),
  evmInputs: list(evmSide),
  evmOutputs: list(evmSide),
  nodeId: maybe(bytes),
  subnetId: maybe(bytes),
  stakingTxId: maybe(bytes),
  startTime: maybe(count),
  endTime: maybe(count),
  delegationShares: maybe(count),
  rewardAddresses: list(bytes),
  publicKey: maybe(bytes),
  proofOfPossession: maybe(bytes),
  l1BalanceBurned: maybe(big),
  subnetOwner: maybe(ownerLayout),
  managerChainId: maybe(bytes),
  managerAddress: maybe(bytes),
  period: maybe(count),
  autoCompoundRewardShares: maybe(count),
  validatorAuthority: maybe(ownerLayout),
})
/** Record of {@link txBody}. */
export type TxBody = BodyOf<typeof txBody>

/** Body of `early_import`. */
export const earlyImportBody = layout({
  assetId: bytes,
  amount: big,
  sourceChain: count,
  consumedPos: count,
  consumedTime: count,
  consumedTxId: bytes,
})

const autoRenewal = layout({
  authority: ownerLayout,
  autoCompoundRewardShares: count,
  nextPeriod: count,
  accruedRewards: big,
  accruedDelegateeRewards: big,
  settledCycles: maybe(count),
})

/** Body of `staker`. */
export const stakerBody = layout({
  typeId: count,
  permissioned: flag,
  weight: big,
  startTime: count,
  endTime: count,
  potentialReward: big,
  delegateeReward: big,
  createdTime: count,
  firstStakeIndex: count,
  stakeCount: count,
  delegatorCount: count,
  delegatedWeight: big,
  totalDelegatorCount: count,
  totalDelegatedWeight: big,
  delegationShares: maybe(count),
  validationOwner: maybe(ownerLayout),
  delegationOwner: maybe(ownerLayout),
  publicKey: maybe(bytes),
  proofOfPossession: maybe(bytes),
  stakeAssetId: maybe(bytes),
  endedTime: maybe(count),
  endTxId: maybe(bytes),
  rewarded: maybe(flag),
  autoRenewal: maybe(autoRenewal),
})

/** Body of `cycle`. `outcome`: index of `cycleOutcomes`; shares are millionths. */
export const cycleBody = layout({
  startTime: count,
  endTime: count,
  weight: big,
  potentialReward: big,
  delegateeReward: big,
  restakedReward: big,
  restakedDelegateeReward: big,
  autoCompoundRewardShares: count,
  outcome: count,
  rewardTxId: bytes,
  totalDelegatorCount: count,
  totalDelegatedWeight: big,
})
/** Record of {@link cycleBody}. */
export type CycleBody = BodyOf<typeof cycleBody>

/** Body of `stake_day`. Weights in the unit of the subnet's stake. */
export const stakeDayBody = layout({
  validatorCount: count,
  validatorWeight: big,
  delegatorCount: count,
  delegatorWeight: big,
})
/** Record of {@link stakeDayBody}. */
export type StakeDayBody = BodyOf<typeof stakeDayBody>

/** Body of `reward`. `txId`: what its UTXO is named for. */
export const rewardBody = layout({
  kind: count,
  txId: bytes,
  outputIndex: count,
  amount: big,
  asset: count,
  addresses: list(bytes),
  rewardTxId: bytes,
  subnetId: bytes,
  amountStaked: big,
  startTime: count,
  endTime: count,
  pos: count,
  time: count,
})

/** Blocks of a row of `raw_block`: how far each one's id is before the row's, and its bytes. */
export const rawBlocksBody = layout({ before: list(count), blocks: list(bytes) })

const proposer = layout({
  outerId: bytes,
  outerParentId: bytes,
  nodeId: maybe(bytes),
  pChainHeight: maybe(count),
  timestamp: maybe(count),
})

/** A P- or X-Chain block as kept: its inner bytes, and what the outer said. */
export const innerBlockBody = layout({ bytes, proposer: maybe(proposer) })

/** A C-Chain block as kept: of its EVM transactions only their number. */
export const cBlockBody = layout({
  blockId: bytes,
  parentId: bytes,
  time: count,
  sizeBytes: count,
  transactionCount: count,
  extraData: bytes,
  proposer: maybe(proposer),
})

const transformation = layout({
  txId: bytes,
  assetId: bytes,
  maximumSupply: big,
  minConsumptionRate: big,
  maxConsumptionRate: big,
  maxValidatorStake: big,
  maxValidatorWeightFactor: count,
  uptimeRequirement: count,
})

const conversion = layout({
  txId: bytes,
  height: count,
  conversionId: bytes,
  managerChainId: bytes,
  managerAddress: bytes,
})

/** Body of `subnet`. */
export const subnetBody = layout({
  createdTime: count,
  owner: ownerLayout,
  transformation: maybe(transformation),
  conversion: maybe(conversion),
})

/** Body of `subnet_owner`. */
export const subnetOwnerBody = layout({ time: count, txId: bytes, owner: ownerLayout })

/** Body of `l1_validator`. */
export const l1ValidatorBody = layout({
  publicKey: bytes,
  remainingBalanceOwner: l1Owner,
  deactivationOwner: l1Owner,
  startTime: count,
  weight: big,
  minNonce: big,
  endAccumulatedFee: big,
  createdTxId: bytes,
  createdPos: count,
  removedTime: maybe(count),
})

/** Body of `l1_change`. */
export const l1ChangeBody = layout({
  time: count,
  txId: maybe(bytes),
  weight: big,
  remainingBalance: big,
  balanceChange: big,
  active: flag,
})
/** Record of {@link l1ChangeBody}. */
export type L1ChangeBody = BodyOf<typeof l1ChangeBody>

/** Body of `progress`. */
export const progressBody = layout({
  time: count,
  /** Number of the next UTXO the chain makes. */
  nextUtxo: count,
  l1AccruedFees: big,
  l1FeeExcess: big,
  /** Net nAVAX that its transactions burned; absent in stores that did not count from the start. */
  burned: maybe(big),
})
