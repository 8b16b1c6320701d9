/**
 * Pending and current stakers, in the order nodes promote and reward them.
 *
 * Source: avalanchego vms/platformvm/state/stakers.go, txs/priorities.go.
 */

import { compareBytes, keyOf } from '../../../../core/bytes.ts'
import { newHeap, peekHeap, popHeap, pushHeap, type Heap } from '../../../../core/item-at.ts'
import { pTypes } from '../../../../core/type-ids.ts'
import type { Staker } from '../draft.ts'

/** Where a staker stands in an order: at `time`, by priority, then by transaction id. */
type Turn = { readonly time: number; readonly priority: number; readonly staker: Staker }

/** All stakers that have not ended. */
export type StakerSet = {
  readonly byTxId: Map<string, Staker>
  /** By subnet and node. */
  readonly currentValidators: Map<string, Staker>
  readonly pendingValidators: Map<string, Staker>
  readonly pending: Heap<Turn>
  readonly current: Heap<Turn>
}

/** An empty set. */
export function newStakerSet(): StakerSet {
  return {
    byTxId: new Map(),
    currentValidators: new Map(),
    pendingValidators: new Map(),
    pending: newHeap(compareTurns),
    current: newHeap(compareTurns),
  }
}

function compareTurns(a: Turn, b: Turn): number {
  return a.time - b.time || a.priority - b.priority || compareBytes(a.staker.txId, b.staker.txId)
}

/** Returns whether a subnet id is the primary network's, which is all zero. */
export function isPrimary(subnetId: Uint8Array): boolean {
  for (let at = 0; at < subnetId.length; at++) if (subnetId[at] !== 0) return false
  return true
}

const primaryKey = '\0'.repeat(32)

/** Key of a subnet for maps. Nearly all stake is on the primary network, whose key is at hand. */
export function subnetKey(subnetId: Uint8Array): string {
  return isPrimary(subnetId) ? primaryKey : keyOf(subnetId)
}

// Numbers follow upstream's list of priorities; only their order matters.
function pendingPriority(staker: Staker): number {
  if (staker.permissioned) return 6
  if (staker.role === 'validator') return isPrimary(staker.subnetId) ? 2 : 4
  if (staker.typeId === pTypes.AddDelegatorTx) return 1
  return isPrimary(staker.subnetId) ? 3 : 5
}

function currentPriority(staker: Staker): number {
  if (staker.permissioned) return 7
  if (isPrimary(staker.subnetId)) return staker.role === 'validator' ? 11 : 10
  return staker.role === 'validator' ? 9 : 8
}

function nodeKey(subnetId: Uint8Array, nodeId: Uint8Array): string {
  return subnetKey(subnetId) + keyOf(nodeId)
}

/** The validator a delegator to this node joins: the current one, else the pending one. */
export function validatorOf(
  set: StakerSet,
  subnetId: Uint8Array,
  nodeId: Uint8Array,
): Staker | undefined {
  const key = nodeKey(subnetId, nodeId)
  return set.currentValidators.get(key) ?? set.pendingValidators.get(key)
}

/** A staker that has not ended, by its staking transaction. */
export function stakerOf(set: StakerSet, txId: Uint8Array): Staker | undefined {
  return set.byTxId.get(keyOf(txId))
}

/** Adds a pending staker. */
export function addPending(set: StakerSet, staker: Staker): void {
  set.byTxId.set(keyOf(staker.txId), staker)
  if (staker.role === 'validator') {
    set.pendingValidators.set(nodeKey(staker.subnetId, staker.nodeId), staker)
  }
  const priority = pendingPriority(staker)
  pushHeap(set.pending, { time: staker.startTime, priority, staker })
}

/** Adds a current staker, or puts a renewed or promoted one into its new turn. */
export function addCurrent(set: StakerSet, staker: Staker): void {
  set.byTxId.set(keyOf(staker.txId), staker)
  if (staker.role === 'validator') {
    const key = nodeKey(staker.subnetId, staker.nodeId)
    set.currentValidators.set(key, staker)
    if (set.pendingValidators.get(key) === staker) set.pendingValidators.delete(key)
  }
  const priority = currentPriority(staker)
  pushHeap(set.current, { time: staker.endTime, priority, staker })
}

/** Takes a staker out; its status must say so already. */
export function removeStaker(set: StakerSet, staker: Staker): void {
  set.byTxId.delete(keyOf(staker.txId))
  const key = nodeKey(staker.subnetId, staker.nodeId)
  if (set.currentValidators.get(key) === staker) set.currentValidators.delete(key)
  if (set.pendingValidators.get(key) === staker) set.pendingValidators.delete(key)
}

/** The pending staker that starts next. */
export function nextPending(set: StakerSet): Staker | undefined {
  return peekHeap(set.pending, ({ staker }) => staker.status === 'pending')?.staker
}

/** Takes the pending staker that starts next. */
export function popPending(set: StakerSet): void {
  popHeap(set.pending)
}

/** The current staker that ends next, which is the one the next reward must name. */
export function nextCurrent(set: StakerSet): Staker | undefined {
  return peekHeap(
    set.current,
    ({ time, staker }) => staker.status === 'active' && staker.endTime === time,
  )?.staker
}
