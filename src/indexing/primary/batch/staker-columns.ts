/** The stakers of a batch as columns, for the same reason as the ledger's. */

import type { PackArena } from '../../../store/schema/packed.ts'
import { stakerBody } from '../../../store/schema/primary-bodies.ts'
import { chainNumbers, posOf, stakerStatuses } from '../../../store/schema/primary-position.ts'
import {
  GrowingBodies,
  GrowingOwners,
  type Ledger,
  type OwnerLists,
  type Slices,
} from './ledger.ts'
import type { StakerRow } from './staking-rows.ts'

/** Stakers. What one has not is -1. */
export type StakerColumns = {
  readonly count: number
  readonly pos: Float64Array
  /** 32 bytes each, as the next two. */
  readonly txId: Uint8Array
  readonly subnetId: Uint8Array
  /** Where `hasValidator` is 1. */
  readonly validatorTxId: Uint8Array
  readonly hasValidator: Uint8Array
  /** 20 bytes each. */
  readonly nodeId: Uint8Array
  /** 0 validator, 1 delegator. */
  readonly role: Uint32Array
  /** Index of `stakerStatuses`. */
  readonly status: Uint32Array
  readonly permissioned: Uint32Array
  /** End of one that is pending or active, Unix seconds; else 0. */
  readonly until: Float64Array
  /** Millionths. */
  readonly shares: Float64Array
  readonly weight: BigUint64Array
  readonly delegatedWeight: BigUint64Array
  readonly activatedHeight: Float64Array
  readonly endedHeight: Float64Array
  /** Bodies lie in `arena`. */
  readonly body: Slices
  readonly arena: Uint8Array
  /** Owners of the rewards, by places in the batch's ledger. */
  readonly owners: OwnerLists
}

/** Those that a batch made, in the order of their places, and those of earlier ones it changed. */
export type StakersOfBatch = { readonly made: StakerColumns; readonly changed: StakerColumns }

const idBytes = 32
const nodeIdBytes = 20
const bodyBytes = 256

/** Columns of `stakers` of a batch that begins at height `from`. */
export function stakersOfBatch(
  stakers: ReadonlySet<StakerRow>,
  { from, ledger }: { readonly from: number; readonly ledger: Ledger },
): StakersOfBatch {
  const isMade = ({ createdHeight }: StakerRow): boolean => createdHeight >= from
  const all = [...stakers]
  return {
    made: columnsOf(all.filter(isMade), ledger),
    changed: columnsOf(
      all.filter((staker) => !isMade(staker)),
      ledger,
    ),
  }
}

function columnsOf(stakers: readonly StakerRow[], ledger: Ledger): StakerColumns {
  const count = stakers.length
  const arena: PackArena = { bytes: new Uint8Array(count * bodyBytes), used: 0 }
  const bodies = new GrowingBodies(arena, count)
  const owners = new GrowingOwners(count)
  const columns = {
    count,
    pos: new Float64Array(count),
    txId: new Uint8Array(count * idBytes),
    subnetId: new Uint8Array(count * idBytes),
    validatorTxId: new Uint8Array(count * idBytes),
    hasValidator: new Uint8Array(count),
    nodeId: new Uint8Array(count * nodeIdBytes),
    role: new Uint32Array(count),
    status: new Uint32Array(count),
    permissioned: new Uint32Array(count),
    until: new Float64Array(count),
    shares: new Float64Array(count),
    weight: new BigUint64Array(count),
    delegatedWeight: new BigUint64Array(count),
    activatedHeight: new Float64Array(count),
    endedHeight: new Float64Array(count),
  }
  for (const [at, staker] of stakers.entries()) {
    columns.pos[at] = posOf(chainNumbers.P, staker.createdHeight, staker.createdPosition)
    columns.txId.set(staker.txId, at * idBytes)
    columns.subnetId.set(staker.subnetId, at * idBytes)
    if (staker.validatorTxId !== undefined) {
      columns.validatorTxId.set(staker.validatorTxId, at * idBytes)
      columns.hasValidator[at] = 1
    }
    columns.nodeId.set(staker.nodeId, at * nodeIdBytes)
    columns.role[at] = staker.role === 'validator' ? 0 : 1
    columns.status[at] = stakerStatuses.indexOf(staker.status)
    columns.permissioned[at] = staker.permissioned ? 1 : 0
    columns.until[at] = isOpen(staker) ? staker.endTime : 0
    columns.shares[at] = staker.delegationShares ?? -1
    columns.weight[at] = staker.weight
    columns.delegatedWeight[at] = staker.delegatedWeight
    columns.activatedHeight[at] = staker.activatedHeight ?? -1
    columns.endedHeight[at] = staker.endedHeight ?? -1
    const start = arena.used
    stakerBody.append(arena, staker)
    bodies.pushFrom(start)
    noteOwners(owners, ledger, staker)
  }
  return { ...columns, arena: arena.bytes, body: bodies.taken(), owners: owners.taken() }
}

function isOpen({ status }: StakerRow): boolean {
  return status === 'active' || status === 'pending'
}

function noteOwners(owners: GrowingOwners, ledger: Ledger, staker: StakerRow): void {
  for (const owner of [staker.validationOwner, staker.delegationOwner]) {
    for (const address of owner?.addresses ?? []) owners.push(ledger.addresses.placeOf(address, 0))
  }
  owners.end()
}
