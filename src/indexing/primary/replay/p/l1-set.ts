/**
 * L1 validators and the fee they pay every second (ACP-77).
 *
 * Source: avalanchego vms/platformvm/state/l1_validator.go, txs/executor/state_changes.go,
 * block/executor/verifier.go deactivateLowBalanceL1Validators.
 */

import { keyOf } from '../../../../core/bytes.ts'
import { newHeap, peekHeap, pushHeap, type Heap } from '../../../../core/item-at.ts'
import { type L1FeeRules, l1Cost, l1ExcessAfter } from '../../../../core/l1-fee.ts'
import type { L1ValidatorRow } from '../../batch/subnet-rows.ts'
import { violation, type Draft, type Mutable, type Place } from '../draft.ts'

/** One L1 validation in memory. */
export type L1Validator = Mutable<L1ValidatorRow>

/** All L1 validations that have not ended, and the state of the fee. */
export type L1Set = {
  readonly rules: L1FeeRules
  readonly byId: Map<string, L1Validator>
  readonly active: Heap<{ readonly end: bigint; readonly validator: L1Validator }>
  activeCount: number
  /** nAVAX one validator active since Etna would have paid. */
  accruedFees: bigint
  excess: bigint
}

/** An empty set. */
export function newL1Set(rules: L1FeeRules): L1Set {
  return {
    rules,
    byId: new Map(),
    active: newHeap((a, b) => (a.end < b.end ? -1 : a.end > b.end ? 1 : 0)),
    activeCount: 0,
    accruedFees: 0n,
    excess: 0n,
  }
}

/** Adds a validation, active when its end of fees says so. */
export function addL1Validator(set: L1Set, validator: L1Validator): void {
  set.byId.set(keyOf(validator.validationId), validator)
  if (validator.endAccumulatedFee > 0n) enlist(set, validator)
}

function enlist(set: L1Set, validator: L1Validator): void {
  set.activeCount++
  pushHeap(set.active, { end: validator.endAccumulatedFee, validator })
}

/** The rest of a validator's balance. */
export function balanceOf(set: L1Set, validator: L1Validator): bigint {
  return validator.endAccumulatedFee === 0n ? 0n : validator.endAccumulatedFee - set.accruedFees
}

/** Adds to a balance; an inactive validator becomes active. */
export function topUp(set: L1Set, validator: L1Validator, amount: bigint): void {
  const before = validator.endAccumulatedFee
  validator.endAccumulatedFee = (before === 0n ? set.accruedFees : before) + amount
  if (before > 0n) set.activeCount--
  enlist(set, validator)
}

/** Makes a validator inactive and gives what was left of its balance. */
export function deactivate(set: L1Set, validator: L1Validator): bigint {
  const balance = balanceOf(set, validator)
  if (validator.endAccumulatedFee > 0n) set.activeCount--
  validator.endAccumulatedFee = 0n
  return balance
}

/** Charges `seconds` and makes validators inactive that cannot pay them. */
export function chargeL1Validators(
  set: L1Set,
  seconds: number,
  evict: (validator: L1Validator) => void,
): void {
  const fee = { active: BigInt(set.activeCount), excess: set.excess }
  set.accruedFees += l1Cost(set.rules, fee, BigInt(seconds))
  set.excess = l1ExcessAfter(set.rules, fee, BigInt(seconds))
  evictWhile(set, (end) => end <= set.accruedFees, evict)
}

/** Makes validators inactive that could not pay the next second. */
export function evictLowBalances(set: L1Set, evict: (validator: L1Validator) => void): void {
  if (set.activeCount === 0) return
  const fee = { active: BigInt(set.activeCount), excess: set.excess }
  const limit = set.accruedFees + l1Cost(set.rules, fee, 1n)
  evictWhile(set, (end) => end < limit, evict)
}

function evictWhile(
  set: L1Set,
  isDue: (end: bigint) => boolean,
  evict: (validator: L1Validator) => void,
): void {
  for (;;) {
    const next = peekHeap(
      set.active,
      ({ end, validator }) => validator.endAccumulatedFee === end && end > 0n,
    )
    if (next === undefined || !isDue(next.end)) return
    next.validator.endAccumulatedFee = 0n
    set.activeCount--
    evict(next.validator)
  }
}

/** A validation that must exist. Throws `state-violation`. */
export function l1ValidatorOf(set: L1Set, place: Place, validationId: Uint8Array): L1Validator {
  const validator = set.byId.get(keyOf(validationId))
  if (validator !== undefined) return validator
  throw violation(place, `no such L1 validator: ${Buffer.from(validationId).toString('hex')}`)
}

/** Notes a validator's new state, and why. */
export function noteL1Change(
  set: L1Set,
  draft: Pick<Draft, 'l1Validators' | 'l1Changes'>,
  validator: L1Validator,
  event: {
    readonly place: Pick<Place, 'height' | 'position' | 'time' | 'setHeight'> & {
      readonly txId?: Uint8Array
    }
    readonly balanceChange: bigint
  },
): void {
  draft.l1Validators.add(validator)
  draft.l1Changes.push({
    validationId: validator.validationId,
    subnetId: validator.subnetId,
    nodeId: validator.nodeId,
    publicKey: validator.publicKey,
    height: event.place.height,
    position: event.place.position,
    setHeight: event.place.setHeight ?? event.place.height,
    time: event.place.time,
    txId: event.place.txId,
    weight: validator.weight,
    remainingBalance: balanceOf(set, validator),
    balanceChange: event.balanceChange,
    active: validator.endAccumulatedFee > 0n,
  })
}
