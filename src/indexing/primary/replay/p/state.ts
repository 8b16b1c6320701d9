/** The P-Chain's state between blocks, and how time moves it. */

import { emptyId } from '../../../../codec/primary/ids.ts'
import { keyOf } from '../../../../core/bytes.ts'
import { firstUtxoOf } from '../../../../store/schema/primary/position.ts'
import type { KeptInMemory } from '../../batch/asset-numbers.ts'
import type { PrimaryRules, RewardRules } from '../../batch/rules.ts'
import type { PStateRows } from '../../batch/stored-state.ts'
import type { SubnetRow } from '../../batch/subnet-rows.ts'
import type { NetworkIds } from '../chains.ts'
import {
  violation,
  type Adds,
  type Draft,
  type Mutable,
  type Place,
  type Staker,
} from '../draft.ts'
import { newUtxoSet, type UtxoSet } from '../utxo-set.ts'
import {
  addL1Validator,
  chargeL1Validators,
  newL1Set,
  noteL1Change,
  type L1Set,
  type L1Validator,
} from './l1-set.ts'
import { potentialReward, rulesAtStart } from './reward-amounts.ts'
import { addToTotals, noteStakeChange, type TotalsBySubnet } from './stake-totals.ts'
import {
  addCurrent,
  addPending,
  isPrimary,
  newStakerSet,
  nextCurrent,
  nextPending,
  popPending,
  removeStaker,
  subnetKey,
  validatorOf,
  type StakerSet,
} from './staker-set.ts'

/** Everything the P-Chain's replay knows between two blocks. */
export type PState = {
  readonly rules: PrimaryRules
  readonly ids: NetworkIds
  readonly utxos: UtxoSet
  readonly stakers: StakerSet
  readonly l1: L1Set
  readonly subnets: Map<string, Mutable<SubnetRow>>
  readonly totals: TotalsBySubnet
  /** By subnet; the primary network's is always there. */
  readonly supplies: Map<string, bigint>
  height: number
  blockId: Uint8Array
  /** Chain time, Unix seconds. */
  time: number
  /** As of `Checkpoint`. */
  burned: bigint | undefined
}

/** A fresh state, before genesis. */
export function emptyPState(
  rules: PrimaryRules,
  ids: NetworkIds,
  { utxoLimit, assets }: KeptInMemory,
): PState {
  return {
    rules,
    ids,
    utxos: newUtxoSet('P', utxoLimit, { next: firstUtxoOf('P'), assets }),
    stakers: newStakerSet(),
    totals: new Map(),
    l1: newL1Set(rules.l1Fee),
    subnets: new Map(),
    supplies: new Map(),
    height: 0,
    blockId: emptyId,
    time: 0,
    burned: 0n,
  }
}

/** The state as it was after the batch whose rows these are. */
export function loadPState(
  rules: PrimaryRules,
  ids: NetworkIds,
  { rows, ...kept }: KeptInMemory & { readonly rows: PStateRows },
): PState {
  const state = emptyPState(rules, ids, kept)
  const { checkpoint } = rows
  state.height = checkpoint.height
  state.blockId = checkpoint.blockId
  state.time = checkpoint.time
  state.burned = checkpoint.burned
  state.utxos.next = checkpoint.nextUtxo
  for (const row of rows.stakers) {
    const staker = { ...row }
    if (staker.status === 'pending') addPending(state.stakers, staker)
    else {
      addCurrent(state.stakers, staker)
      addToTotals(state.totals, staker, { count: 1, weight: staker.weight, time: 0 })
    }
  }
  for (const row of rows.subnets) state.subnets.set(keyOf(row.subnetId), { ...row })
  for (const row of rows.l1Validators) addL1Validator(state.l1, { ...row })
  state.l1.accruedFees = checkpoint.l1AccruedFees
  state.l1.excess = checkpoint.l1FeeExcess
  for (const { subnetId, supply } of rows.supplies) state.supplies.set(subnetKey(subnetId), supply)
  return state
}

/** Supply of a subnet's staking asset. Throws `state-violation` when it has none. */
export function supplyOf(state: PState, subnetId: Uint8Array): bigint {
  const supply = state.supplies.get(subnetKey(subnetId))
  if (supply !== undefined) return supply
  throw violation({ chain: 'P', height: state.height }, 'staking on a subnet without a supply')
}

/** Changes a supply. Throws `state-violation` beyond its cap. */
export function setSupply(
  state: PState,
  draft: Pick<Draft, 'supplies'>,
  subnetId: Uint8Array,
  supply: bigint,
): void {
  if (supply < 0n || supply > rewardRulesOf(state, subnetId).supplyCap) {
    throw violation({ chain: 'P', height: state.height }, `supply passes its bounds: ${supply}`)
  }
  const key = subnetKey(subnetId)
  state.supplies.set(key, supply)
  draft.supplies.set(key, { subnetId, supply })
}

function rewardRulesOf(state: PState, subnetId: Uint8Array): RewardRules {
  if (isPrimary(subnetId)) return state.rules.reward
  const transformation = state.subnets.get(keyOf(subnetId))?.transformation
  if (transformation === undefined) {
    throw violation({ chain: 'P', height: state.height }, 'staking on a subnet without rules')
  }
  return {
    minConsumptionRate: transformation.minConsumptionRate,
    maxConsumptionRate: transformation.maxConsumptionRate,
    mintingPeriod: state.rules.reward.mintingPeriod,
    supplyCap: transformation.maximumSupply,
  }
}

/** Possible reward of a staker at the current supply; 0 when permissioned. */
export function rewardFor(state: PState, staker: Staker): bigint {
  if (staker.permissioned) return 0n
  const { subnetId, startTime, endTime, weight } = staker
  const base = rewardRulesOf(state, subnetId)
  const rules = isPrimary(subnetId)
    ? rulesAtStart(base, state.rules.upgrades.helicon, startTime)
    : base
  const durationSeconds = BigInt(endTime - startTime)
  return potentialReward(rules, { durationSeconds, weight }, supplyOf(state, subnetId))
}

/** Fixes a staker's reward and adds it to the supply. */
export function mintFor(state: PState, draft: Pick<Draft, 'supplies'>, staker: Staker): void {
  if (staker.permissioned) return
  staker.potentialReward = rewardFor(state, staker)
  const supply = supplyOf(state, staker.subnetId) + staker.potentialReward
  setSupply(state, draft, staker.subnetId, supply)
}

/** Lists of a batch that stakers are noted in. */
type StakerLists = Pick<Draft, 'stakers' | 'stakeDays'>

/** Makes a staker current from `height` on, and counts a delegator in at its validator. */
export function activate(state: PState, draft: StakerLists, staker: Staker, height: number): void {
  staker.status = 'active'
  staker.activatedHeight = height
  const { startTime: time, weight } = staker
  noteStakeChange({ totals: state.totals, draft }, staker, { count: 1, weight, time })
  addCurrent(state.stakers, staker)
  draft.stakers.add(staker)
  if (staker.role === 'validator') return
  const validator = validatorOf(state.stakers, staker.subnetId, staker.nodeId)
  if (validator === undefined || validator.status !== 'active') {
    throw violation({ chain: 'P', height, txId: staker.txId }, 'delegation to nobody')
  }
  staker.validatorTxId = validator.txId
  // The arrays of the validator: a copy would keep 250 bytes for years.
  staker.subnetId = validator.subnetId
  staker.nodeId = validator.nodeId
  validator.delegatorCount++
  validator.delegatedWeight += staker.weight
  validator.totalDelegatorCount++
  validator.totalDelegatedWeight += staker.weight
  draft.stakers.add(validator)
}

/** Ends a staker. `place` is the transaction that ended it, or the block whose time did. */
export function endStaker(
  state: PState,
  draft: StakerLists,
  staker: Staker,
  end: {
    readonly status: 'completed' | 'removed'
    readonly height: number
    readonly time: number
    readonly txId?: Uint8Array
    readonly rewarded?: boolean
  },
): void {
  if (staker.status === 'active') {
    const change = { count: -1, weight: -staker.weight, time: end.time }
    noteStakeChange({ totals: state.totals, draft }, staker, change)
  }
  staker.status = end.status
  staker.endedHeight = end.height
  staker.endedTime = end.time
  staker.endTxId = end.txId
  staker.rewarded = end.rewarded
  draft.stakers.add(staker)
  if (staker.role === 'delegator') {
    const validator = validatorOf(state.stakers, staker.subnetId, staker.nodeId)
    if (validator !== undefined) {
      validator.delegatorCount--
      validator.delegatedWeight -= staker.weight
      draft.stakers.add(validator)
    }
  }
  removeStaker(state.stakers, staker)
}

/** Where time moves: the block, and the height from which sets of validators show the change. */
export type TimeStep = Adds<'stakers' | 'stakeDays' | 'supplies' | 'l1Validators' | 'l1Changes'> & {
  readonly height: number
  readonly setHeight: number
}

/**
 * Moves chain time: starts pending stakers, ends permissioned ones, charges L1 validators.
 *
 * Throws `state-violation` when time goes back or passes a staker's turn.
 * Source: avalanchego vms/platformvm/txs/executor/state_changes.go advanceTimeTo.
 */
export function advanceTime(state: PState, step: TimeStep, time: number): void {
  if (time < state.time) {
    throw violation({ chain: 'P', height: step.height }, `time goes back: ${time}`)
  }
  const started: Staker[] = []
  for (;;) {
    const staker = nextPending(state.stakers)
    if (staker === undefined || staker.startTime > time) break
    if (staker.startTime < time) {
      throw violation(
        { chain: 'P', height: step.height, txId: staker.txId },
        `time passes the start of a staker: ${staker.startTime}`,
      )
    }
    popPending(state.stakers)
    mintFor(state, step.draft, staker)
    started.push(staker)
  }
  // Rewards follow the order of turns; validators must stand before delegators join them.
  for (const staker of started) {
    if (staker.role === 'validator') activate(state, step.draft, staker, step.setHeight)
  }
  for (const staker of started) {
    if (staker.role === 'delegator') activate(state, step.draft, staker, step.setHeight)
  }
  endPermissioned(state, step, time)
  if (time >= state.rules.upgrades.etna) {
    const seconds = time - state.time
    if (seconds > 0) {
      chargeL1Validators(state.l1, seconds, (validator) =>
        noteEviction(state, { ...step, position: -1 }, validator, time),
      )
    }
  }
  state.time = time
}

function endPermissioned(state: PState, step: TimeStep, time: number): void {
  for (;;) {
    const staker = nextCurrent(state.stakers)
    if (staker === undefined || staker.endTime > time) return
    if (staker.endTime < time) {
      throw violation(
        { chain: 'P', height: step.height, txId: staker.txId },
        `time passes the end of a staker: ${staker.endTime}`,
      )
    }
    if (!staker.permissioned) return
    endStaker(state, step.draft, staker, { status: 'completed', height: step.setHeight, time })
  }
}

/** Notes that an L1 validator's balance ran out, at a position of the block as of `L1ChangeRow`. */
export function noteEviction(
  state: PState,
  step: TimeStep & { readonly position: number },
  validator: L1Validator,
  time: number,
): void {
  const { height, setHeight, position } = step
  const place: Pick<Place, 'height' | 'position' | 'time' | 'setHeight'> = {
    height,
    position,
    time,
    setHeight,
  }
  noteL1Change(state.l1, step.draft, validator, { place, balanceChange: 0n })
}
