/**
 * Ends of stakes: what a reward proposal does when committed and when aborted.
 *
 * Source: avalanchego vms/platformvm/txs/executor/proposal_tx_executor.go.
 */

import type { PUnsignedOf } from '../../../../codec/primary/p-transaction.ts'
import { pTypes } from '../../../../core/type-ids.ts'
import type { CycleOutcome } from '../../../../store/schema/primary/position.ts'
import type { Owner, RewardKind } from '../../batch/ledger-rows.ts'
import type { AutoRenewal } from '../../batch/staking-rows.ts'
import { violation, type Adds, type Staker } from '../draft.ts'
import {
  addAddresses,
  newAddressSet,
  type At,
  concern,
  type Concerns,
  emit,
  type Fills,
  type Moves,
} from '../step.ts'
import { returnStake } from '../utxo-set.ts'
import { shareOf } from './reward-amounts.ts'
import { noteStakeChange } from './stake-totals.ts'
import { addCurrent, validatorOf } from './staker-set.ts'
import { stakerToReward } from './staking.ts'
import { endStaker, rewardFor, setSupply, supplyOf, type PState } from './state.ts'

/** End of a reward proposal: with which option, at which height. */
export type Outcome = { readonly committed: boolean; readonly setHeight: number }

type Describing = Concerns &
  Fills<
    | 'stakingTxId'
    | 'nodeId'
    | 'subnetId'
    | 'startTime'
    | 'endTime'
    | 'delegationShares'
    | 'rewardAddresses'
  >

/** Lists that the end of a stake changes besides the outputs it pays. */
type Ending = Moves & Adds<'rewards' | 'cycles' | 'stakers' | 'stakeDays' | 'supplies'>

/** Types 20 and 42: ends or renews the staker they name. Throws `state-violation`. */
export function executeReward(
  state: PState,
  step: Describing & Ending,
  unsigned: PUnsignedOf<'RewardValidatorTx' | 'RewardAutoRenewedValidatorTx'>,
  outcome: Outcome,
): void {
  const staker = stakerToReward(state, step, unsigned.stakingTxId)
  const isRenewing = staker.autoRenewal !== undefined
  if (
    staker.permissioned ||
    isRenewing !== (unsigned.typeId === pTypes.RewardAutoRenewedValidatorTx)
  ) {
    throw violation(step.place, 'rewards a staker of the wrong kind')
  }
  const { row } = step
  row.stakingTxId = staker.txId
  row.nodeId = staker.nodeId
  row.subnetId = staker.subnetId
  row.startTime = staker.startTime
  row.endTime = staker.endTime
  row.delegationShares = staker.delegationShares
  const addresses = newAddressSet()
  for (const owner of [staker.validationOwner, staker.delegationOwner]) {
    if (owner !== undefined) addAddresses(addresses, owner.addresses)
  }
  row.rewardAddresses = addresses.list
  concern(step, row.rewardAddresses)
  if (!outcome.committed) {
    setSupply(
      state,
      step.draft,
      staker.subnetId,
      supplyOf(state, staker.subnetId) - staker.potentialReward,
    )
  }
  if (staker.autoRenewal !== undefined) {
    rewardAutoRenewed(state, step, { staker, renewal: staker.autoRenewal }, outcome)
    return
  }
  const payout = payoutAt(step, staker, staker.txId, staker.firstStakeIndex + staker.stakeCount)
  if (staker.role === 'validator') rewardValidator(staker, payout, outcome)
  else if (outcome.committed) rewardDelegator(state, step, staker, payout)
  finish(state, step, staker, outcome)
}

/** Gives the stake back and ends the staker. */
function finish(
  state: PState,
  step: Moves & Adds<'stakers' | 'stakeDays'>,
  staker: Staker,
  outcome: Outcome,
): void {
  const { place, draft } = step
  for (let at = 0; at < staker.stakeCount; at++) {
    const outputIndex = staker.firstStakeIndex + at
    returnStake(step, { txId: staker.txId, outputIndex })
  }
  endStaker(state, draft, staker, {
    status: 'completed',
    height: outcome.setHeight,
    time: place.time,
    txId: place.txId,
    rewarded: outcome.committed,
  })
}

type Pay = (kind: RewardKind, owner: Owner | undefined, amount: bigint) => void

/**
 * Pays rewards as outputs of `txId` with indices from `first` on; a reward of 0 makes no output.
 */
function payoutAt(
  step: Moves & Adds<'rewards'>,
  staker: Staker,
  txId: Uint8Array,
  first: number,
): Pay {
  let outputIndex = first
  return (kind, owner, amount) => {
    const assetId = staker.stakeAssetId
    if (amount === 0n) return
    if (owner === undefined || assetId === undefined) {
      throw violation(step.place, 'reward without an owner or asset')
    }
    const { place } = step
    const utxo = emit(step, {
      txId,
      outputIndex,
      assetId,
      outputType: 7,
      amount,
      owner,
      stakeableLocktime: 0n,
      stakeStart: staker.startTime,
      stakeEnd: staker.endTime,
      rewardKind: kind,
    })
    step.draft.rewards.push({
      utxo,
      txId,
      outputIndex,
      kind,
      amount,
      asset: step.utxos.assets.of(assetId),
      addresses: owner.addresses,
      stakingTxId: staker.txId,
      rewardTxId: place.txId,
      nodeId: staker.nodeId,
      subnetId: staker.subnetId,
      amountStaked: staker.weight,
      startTime: staker.startTime,
      endTime: staker.endTime,
      height: place.height,
      position: place.position,
      time: place.time,
    })
    outputIndex++
  }
}

function rewardValidator(staker: Staker, pay: Pay, outcome: Outcome): void {
  if (outcome.committed) pay('VALIDATOR', staker.validationOwner, staker.potentialReward)
  pay('VALIDATOR_FEE', staker.delegationOwner, staker.delegateeReward)
  staker.delegateeReward = 0n
}

function rewardDelegator(
  state: PState,
  step: At & Adds<'stakers'>,
  staker: Staker,
  payout: Pay,
): void {
  const validator = validatorOf(state.stakers, staker.subnetId, staker.nodeId)
  if (validator === undefined) throw violation(step.place, 'delegator outlived its validator')
  if (validator.delegationShares === undefined)
    throw violation(step.place, 'a validator with delegators has no delegation fee')
  const fee = shareOf(staker.potentialReward, validator.delegationShares)
  payout('DELEGATOR', staker.validationOwner, staker.potentialReward - fee)
  if (validator.startTime >= state.rules.upgrades.cortina) {
    validator.delegateeReward += fee
    step.draft.stakers.add(validator)
    return
  }
  payout('VALIDATOR_FEE', validator.delegationOwner, fee)
}

function rewardAutoRenewed(
  state: PState,
  step: Ending,
  { staker, renewal }: { readonly staker: Staker; readonly renewal: AutoRenewal },
  outcome: Outcome,
): void {
  // These rewards are outputs of the reward transaction itself, which has no others.
  const pay = payoutAt(step, staker, step.place.txId, 0)
  if (outcome.committed && renewal.nextPeriod > 0) {
    const restakes = restakesOf(state, staker, renewal)
    noteCycle(step, staker, { ...restakes, renewal, ...outcome, outcome: 'renewed' })
    renew(state, step, { staker, renewal, pay, ...restakes })
    return
  }
  const end = outcome.committed ? 'exited' : 'aborted'
  noteCycle(step, staker, { ...nothingRestaked, renewal, ...outcome, outcome: end })
  staker.autoRenewal = { ...renewal, settledCycles: settledWith(renewal) }
  const reward = outcome.committed ? staker.potentialReward : 0n
  pay('VALIDATOR', staker.validationOwner, reward + renewal.accruedRewards)
  pay(
    'VALIDATOR_FEE',
    staker.delegationOwner,
    staker.delegateeReward + renewal.accruedDelegateeRewards,
  )
  staker.delegateeReward = 0n
  finish(state, step, staker, outcome)
}

/** Parts of the rewards of a cycle that become stake. */
type Restakes = { readonly restaked: bigint; readonly restakedFees: bigint }

const nothingRestaked: Restakes = { restaked: 0n, restakedFees: 0n }

/** Cycles that are over once the running one is. */
function settledWith({ settledCycles }: AutoRenewal): number {
  return (settledCycles ?? 0) + 1
}

/** Writes down the running cycle, before anything of it changes. */
function noteCycle(
  { draft, place }: At & Adds<'cycles'>,
  staker: Staker,
  end: Restakes & {
    readonly renewal: AutoRenewal
    readonly outcome: CycleOutcome
    readonly setHeight: number
  },
): void {
  draft.cycles.push({
    createdHeight: staker.createdHeight,
    createdPosition: staker.createdPosition,
    number: settledWith(end.renewal),
    setHeight: end.setHeight,
    rewardTxId: place.txId,
    startTime: staker.startTime,
    endTime: staker.endTime,
    weight: staker.weight,
    potentialReward: staker.potentialReward,
    delegateeReward: staker.delegateeReward,
    restakedReward: end.restaked,
    restakedDelegateeReward: end.restakedFees,
    autoCompoundRewardShares: end.renewal.autoCompoundRewardShares,
    outcome: end.outcome,
    totalDelegatorCount: staker.totalDelegatorCount,
    totalDelegatedWeight: staker.totalDelegatedWeight,
  })
}

function renew(
  state: PState,
  step: At & Adds<'stakers' | 'stakeDays' | 'supplies'>,
  {
    staker,
    renewal,
    pay,
    restaked,
    restakedFees,
  }: Restakes & { readonly staker: Staker; readonly renewal: AutoRenewal; readonly pay: Pay },
): void {
  pay('VALIDATOR', staker.validationOwner, staker.potentialReward - restaked)
  pay('VALIDATOR_FEE', staker.delegationOwner, staker.delegateeReward - restakedFees)
  staker.weight += restaked + restakedFees
  const change = { count: 0, weight: restaked + restakedFees, time: step.place.time }
  noteStakeChange({ totals: state.totals, draft: step.draft }, staker, change)
  staker.autoRenewal = {
    ...renewal,
    accruedRewards: renewal.accruedRewards + restaked,
    accruedDelegateeRewards: renewal.accruedDelegateeRewards + restakedFees,
    settledCycles: settledWith(renewal),
  }
  staker.delegateeReward = 0n
  staker.startTime = staker.endTime
  staker.endTime += renewal.nextPeriod
  staker.potentialReward = rewardFor(state, staker)
  setSupply(
    state,
    step.draft,
    staker.subnetId,
    supplyOf(state, staker.subnetId) + staker.potentialReward,
  )
  addCurrent(state.stakers, staker)
  step.draft.stakers.add(staker)
}

function restakesOf(state: PState, staker: Staker, renewal: AutoRenewal): Restakes {
  const restaked = shareOf(staker.potentialReward, renewal.autoCompoundRewardShares)
  const restakedFees = shareOf(staker.delegateeReward, renewal.autoCompoundRewardShares)
  const capacity = state.rules.maxValidatorStake - staker.weight
  const total = restaked + restakedFees
  if (total <= capacity) return { restaked, restakedFees }
  const part = (restaked * capacity) / total
  return { restaked: part, restakedFees: capacity - part }
}
