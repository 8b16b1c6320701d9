/** P-Chain transactions that add or remove stakers. */

import { emptyId } from '../../../../codec/primary/ids.ts'
import type {
  POutput,
  PTransferableOutput,
  PUnsigned,
  PUnsignedOf,
} from '../../../../codec/primary/p-transaction.ts'
import { equalBytes } from '../../../../core/bytes.ts'
import { outputTypes, type PTypeId, pTypes, signerTypes } from '../../../../core/type-ids.ts'
import type { Owner } from '../../batch/ledger-rows.ts'
import { violation, type Adds, type Staker } from '../draft.ts'
import {
  addAddresses,
  newAddressSet,
  withAmount,
  type At,
  concern,
  type Concerns,
  emit,
  type Fills,
  type Moves,
  ownerOf,
} from '../step.ts'
import { addPending, nextCurrent, stakerOf, validatorOf } from './staker-set.ts'
import { activate, endStaker, mintFor, rewardFor, type PState } from './state.ts'

/** Transactions that add a staker. */
export type StakingTransaction = PUnsignedOf<
  | 'AddValidatorTx'
  | 'AddSubnetValidatorTx'
  | 'AddDelegatorTx'
  | 'AddPermissionlessValidatorTx'
  | 'AddPermissionlessDelegatorTx'
  | 'AddAutoRenewedValidatorTx'
>

/** Of each type whether it adds a staker. */
const addsStaker: Readonly<Record<PTypeId, boolean>> = {
  [pTypes.AddValidatorTx]: true,
  [pTypes.AddSubnetValidatorTx]: true,
  [pTypes.AddDelegatorTx]: true,
  [pTypes.CreateChainTx]: false,
  [pTypes.CreateSubnetTx]: false,
  [pTypes.ImportTx]: false,
  [pTypes.ExportTx]: false,
  [pTypes.AdvanceTimeTx]: false,
  [pTypes.RewardValidatorTx]: false,
  [pTypes.RemoveSubnetValidatorTx]: false,
  [pTypes.TransformSubnetTx]: false,
  [pTypes.AddPermissionlessValidatorTx]: true,
  [pTypes.AddPermissionlessDelegatorTx]: true,
  [pTypes.TransferSubnetOwnershipTx]: false,
  [pTypes.BaseTx]: false,
  [pTypes.ConvertSubnetToL1Tx]: false,
  [pTypes.RegisterL1ValidatorTx]: false,
  [pTypes.SetL1ValidatorWeightTx]: false,
  [pTypes.IncreaseL1ValidatorBalanceTx]: false,
  [pTypes.DisableL1ValidatorTx]: false,
  [pTypes.AddAutoRenewedValidatorTx]: true,
  [pTypes.SetAutoRenewedValidatorConfigTx]: false,
  [pTypes.RewardAutoRenewedValidatorTx]: false,
}

/** Returns whether a transaction adds a staker. */
export function isStaking(unsigned: PUnsigned): unsigned is StakingTransaction {
  return addsStaker[unsigned.typeId]
}

/** A P-Chain output as a new UTXO's fields. The owner is the record itself, which has more. */
export function outputFields(output: POutput): {
  readonly outputType: 7
  readonly amount: bigint
  readonly owner: Owner
  readonly stakeableLocktime: bigint
} {
  const owner = output.typeId === outputTypes.stakeableLocked ? output.output : output
  const stakeableLocktime = output.typeId === outputTypes.stakeableLocked ? output.locktime : 0n
  return { outputType: 7, amount: owner.amount, owner, stakeableLocktime }
}

/** Emits plain outputs from index `first` on. */
export function emitOutputs(
  step: Moves,
  outputs: readonly PTransferableOutput[],
  first: number,
): void {
  const { txId } = step.place
  for (let at = 0; at < outputs.length; at++) {
    const one = outputs[at]
    if (one === undefined) break
    const { assetId, output } = one
    const owner = output.typeId === outputTypes.stakeableLocked ? output.output : output
    emit(step, {
      txId,
      outputIndex: first + at,
      assetId,
      outputType: 7,
      amount: owner.amount,
      owner,
      stakeableLocktime: output.typeId === outputTypes.stakeableLocked ? output.locktime : 0n,
    })
  }
}

function stakeOf(unsigned: StakingTransaction): readonly PTransferableOutput[] {
  return unsigned.typeId === pTypes.AddSubnetValidatorTx ? [] : unsigned.stake
}

/** Fields that describing a new staker changes. */
type Describing = Moves &
  Concerns &
  Fills<
    | 'nodeId'
    | 'subnetId'
    | 'startTime'
    | 'endTime'
    | 'delegationShares'
    | 'publicKey'
    | 'proofOfPossession'
    | 'period'
    | 'autoCompoundRewardShares'
    | 'validatorAuthority'
    | 'rewardAddresses'
  >

/** Fills in what a staking transaction says; `startTime` is when the stake really starts. */
function describe(step: Describing, unsigned: StakingTransaction, staker: Staker): void {
  const { row } = step
  row.nodeId = staker.nodeId
  row.subnetId = staker.subnetId
  row.startTime = staker.startTime
  row.endTime = staker.endTime
  row.delegationShares = staker.delegationShares
  row.publicKey = staker.publicKey
  row.proofOfPossession = staker.proofOfPossession
  row.period = staker.autoRenewal?.nextPeriod
  row.autoCompoundRewardShares = staker.autoRenewal?.autoCompoundRewardShares
  row.validatorAuthority = staker.autoRenewal?.authority
  const owners = [staker.validationOwner, staker.delegationOwner]
  const addresses = newAddressSet()
  for (const owner of owners) if (owner !== undefined) addAddresses(addresses, owner.addresses)
  row.rewardAddresses = addresses.list
  concern(step, row.rewardAddresses)
  for (const { assetId, output } of stakeOf(unsigned)) {
    const { amount } = outputFields(output)
    row.staked = withAmount(row.staked, step.utxos.assets.of(assetId), amount)
  }
}

/** Adds a staker: pending before Durango, current since. */
export function executeStaking(
  state: PState,
  step: Describing & Adds<'stakers' | 'stakeDays' | 'supplies'>,
  unsigned: StakingTransaction,
  setHeight: number,
): void {
  const immediate = state.time >= state.rules.upgrades.durango
  const staker = stakerFrom(state, step, unsigned, immediate)
  describe(step, unsigned, staker)
  const { txId } = step.place
  for (const [at, { assetId, output }] of stakeOf(unsigned).entries()) {
    const outputIndex = staker.firstStakeIndex + at
    emit(step, {
      txId,
      outputIndex,
      assetId,
      ...outputFields(output),
      staked: true,
      stakeStart: staker.startTime,
      stakeEnd: staker.endTime,
    })
  }
  step.draft.stakers.add(staker)
  if (immediate) {
    mintFor(state, step.draft, staker)
    activate(state, step.draft, staker, setHeight)
  } else {
    staker.potentialReward = rewardFor(state, staker)
    addPending(state.stakers, staker)
  }
}

/** A proposal to add a staker was aborted: the stake lies where it would have returned to. */
export function abortStaking(state: PState, step: Describing, unsigned: StakingTransaction): void {
  describe(step, unsigned, stakerFrom(state, step, unsigned, false))
  emitOutputs(step, stakeOf(unsigned), unsigned.outputs.length)
}

function stakerFrom(
  state: PState,
  step: At,
  unsigned: StakingTransaction,
  immediate: boolean,
): Staker {
  const { place } = step
  const stake = stakeOf(unsigned)
  const { start, end, weight } = periodOf(unsigned, state.time)
  return {
    txId: place.txId,
    typeId: unsigned.typeId,
    role:
      unsigned.typeId === pTypes.AddDelegatorTx ||
      unsigned.typeId === pTypes.AddPermissionlessDelegatorTx
        ? 'delegator'
        : 'validator',
    permissioned: unsigned.typeId === pTypes.AddSubnetValidatorTx,
    subnetId: 'subnetId' in unsigned ? unsigned.subnetId : emptyId,
    nodeId: unsigned.nodeId,
    weight,
    startTime: immediate ? state.time : start,
    endTime: end,
    potentialReward: 0n,
    delegationShares: 'delegationShares' in unsigned ? unsigned.delegationShares : undefined,
    ...ownersOf(unsigned),
    ...signerOf(unsigned),
    firstStakeIndex: unsigned.outputs.length,
    stakeCount: stake.length,
    stakeAssetId: stake[0]?.assetId,
    validatorTxId: undefined,
    status: 'pending',
    createdHeight: place.height,
    createdPosition: place.position,
    createdTime: place.time,
    activatedHeight: undefined,
    endedHeight: undefined,
    endedTime: undefined,
    endTxId: undefined,
    rewarded: undefined,
    delegateeReward: 0n,
    delegatorCount: 0,
    delegatedWeight: 0n,
    totalDelegatorCount: 0,
    totalDelegatedWeight: 0n,
    autoRenewal:
      unsigned.typeId === pTypes.AddAutoRenewedValidatorTx
        ? {
            authority: ownerOf(unsigned.authority),
            autoCompoundRewardShares: unsigned.autoCompoundRewardShares,
            nextPeriod: Number(unsigned.period),
            accruedRewards: 0n,
            accruedDelegateeRewards: 0n,
            settledCycles: undefined,
          }
        : undefined,
  }
}

function periodOf(
  unsigned: StakingTransaction,
  time: number,
): { readonly start: number; readonly end: number; readonly weight: bigint } {
  if (unsigned.typeId === pTypes.AddAutoRenewedValidatorTx) {
    const weight = unsigned.stake.reduce((sum, one) => sum + outputFields(one.output).amount, 0n)
    return { start: time, end: time + Number(unsigned.period), weight }
  }
  return { start: Number(unsigned.start), end: Number(unsigned.end), weight: unsigned.weight }
}

function ownersOf(
  unsigned: StakingTransaction,
): Pick<Staker, 'validationOwner' | 'delegationOwner'> {
  switch (unsigned.typeId) {
    case pTypes.AddSubnetValidatorTx:
      return { validationOwner: undefined, delegationOwner: undefined }
    case pTypes.AddValidatorTx: {
      const owner = ownerOf(unsigned.rewardsOwner)
      return { validationOwner: owner, delegationOwner: owner }
    }
    case pTypes.AddDelegatorTx:
    case pTypes.AddPermissionlessDelegatorTx:
      return { validationOwner: ownerOf(unsigned.rewardsOwner), delegationOwner: undefined }
    case pTypes.AddPermissionlessValidatorTx:
    case pTypes.AddAutoRenewedValidatorTx:
      return {
        validationOwner: ownerOf(unsigned.validationOwner),
        delegationOwner: ownerOf(unsigned.delegationOwner),
      }
  }
}

function signerOf(unsigned: StakingTransaction): Pick<Staker, 'publicKey' | 'proofOfPossession'> {
  if (!('signer' in unsigned) || unsigned.signer.typeId === signerTypes.empty) {
    return { publicKey: undefined, proofOfPossession: undefined }
  }
  const { publicKey, proofOfPossession } = unsigned.signer
  return { publicKey, proofOfPossession }
}

/** Type 23: takes a permissioned validator out, current or pending. */
export function removeSubnetValidator(
  state: PState,
  step: At & Fills<'nodeId' | 'subnetId'> & Adds<'stakers' | 'stakeDays'>,
  unsigned: PUnsignedOf<'RemoveSubnetValidatorTx'>,
  setHeight: number,
): void {
  const { place, row, draft } = step
  const staker = validatorOf(state.stakers, unsigned.subnetId, unsigned.nodeId)
  if (staker === undefined || !staker.permissioned) {
    throw violation(place, 'removes a validator that is not there')
  }
  row.nodeId = unsigned.nodeId
  row.subnetId = unsigned.subnetId
  endStaker(state, draft, staker, {
    status: 'removed',
    height: setHeight,
    time: place.time,
    txId: place.txId,
  })
}

/** Type 41: what an auto-renewed validator does at the end of its cycle. */
export function configureAutoRenewal(
  state: PState,
  step: At &
    Fills<'stakingTxId' | 'period' | 'autoCompoundRewardShares' | 'nodeId' | 'subnetId'> &
    Adds<'stakers'>,
  unsigned: PUnsignedOf<'SetAutoRenewedValidatorConfigTx'>,
): void {
  const staker = stakerOf(state.stakers, unsigned.stakingTxId)
  if (staker?.autoRenewal === undefined) {
    throw violation(step.place, 'configures a validator that does not renew itself')
  }
  staker.autoRenewal = {
    ...staker.autoRenewal,
    autoCompoundRewardShares: unsigned.autoCompoundRewardShares,
    nextPeriod: Number(unsigned.period),
  }
  step.row.stakingTxId = unsigned.stakingTxId
  step.row.period = Number(unsigned.period)
  step.row.autoCompoundRewardShares = unsigned.autoCompoundRewardShares
  step.row.nodeId = staker.nodeId
  step.row.subnetId = staker.subnetId
  step.draft.stakers.add(staker)
}

/** The staker a reward names. Throws `state-violation` when it is not the next to end, now. */
export function stakerToReward(state: PState, step: At, stakingTxId: Uint8Array): Staker {
  const nextStaker = nextCurrent(state.stakers)
  if (nextStaker === undefined || !equalBytes(nextStaker.txId, stakingTxId)) {
    const expected =
      nextStaker === undefined ? 'nobody' : Buffer.from(nextStaker.txId).toString('hex')
    throw violation(step.place, `rewards another staker than the next to end: expected ${expected}`)
  }
  if (nextStaker.endTime !== state.time) {
    throw violation(step.place, `rewards a staker before its end: ${nextStaker.endTime}`)
  }
  return nextStaker
}
