/** The stakers of a batch as columns, for the same reason as the ledger's. */

import {
  bigs,
  bytesOf,
  type ColumnsOf,
  columnTable,
  doubles,
  readFrom,
  words,
} from '../../../core/columns.ts'
import type { PackArena } from '../../../store/schema/packed/packed.ts'
import { stakerBody } from '../../../store/schema/primary/bodies.ts'
import { chainNumbers, posOf, stakerStatuses } from '../../../store/schema/primary/position.ts'
import { nodeIdBytes } from './block-columns.ts'
import {
  GrowingBodies,
  GrowingOwners,
  type Ledger,
  type OwnerLists,
  type Slices,
} from './ledger.ts'
import type { StakerRow } from './staking-rows.ts'

const idBytes = 32
const noId = new Uint8Array(idBytes)

/** Stakers. Absent values are -1. */
const stakerTable = columnTable({
  pos: readFrom(doubles, ({ createdHeight, createdPosition }: StakerRow) =>
    posOf(chainNumbers.P, createdHeight, createdPosition),
  ),
  txId: bytesOf(idBytes),
  subnetId: bytesOf(idBytes),
  /** Where `hasValidator` is 1. */
  validatorTxId: readFrom(bytesOf(idBytes), ({ validatorTxId = noId }: StakerRow) => validatorTxId),
  hasValidator: readFrom(bytesOf(1), ({ validatorTxId }: StakerRow) =>
    validatorTxId === undefined ? no : yes,
  ),
  nodeId: bytesOf(nodeIdBytes),
  /** 0 validator, 1 delegator. */
  role: readFrom(words, ({ role }: StakerRow) => (role === 'validator' ? 0 : 1)),
  /** Index of `stakerStatuses`. */
  status: readFrom(words, ({ status }: StakerRow) => stakerStatuses.indexOf(status)),
  permissioned: readFrom(words, ({ permissioned }: StakerRow) => (permissioned ? 1 : 0)),
  /** End of one that is pending or active, Unix seconds; else 0. */
  until: readFrom(doubles, (row: StakerRow) =>
    row.status === 'active' || row.status === 'pending' ? row.endTime : 0,
  ),
  /** Millionths. */
  shares: readFrom(doubles, ({ delegationShares = -1 }: StakerRow) => delegationShares),
  weight: bigs,
  delegatedWeight: bigs,
  activatedHeight: readFrom(doubles, ({ activatedHeight = -1 }: StakerRow) => activatedHeight),
  endedHeight: readFrom(doubles, ({ endedHeight = -1 }: StakerRow) => endedHeight),
})

/** Columns of stakers. */
export type StakerColumns = ColumnsOf<typeof stakerTable> & {
  /** Bodies lie in `arena`. */
  readonly body: Slices
  readonly arena: Uint8Array
  /** Owners of the rewards, by places in the batch's ledger. */
  readonly owners: OwnerLists
}

/**
 * Stakers that a batch made, in the order of their places, and stakers of earlier batches that it
 * changed.
 */
export type StakersOfBatch = { readonly made: StakerColumns; readonly changed: StakerColumns }

const yes = Uint8Array.of(1)
const no = Uint8Array.of(0)
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
  const columns = stakerTable.growing(count, undefined)
  for (const staker of stakers) {
    stakerTable.append(columns, staker)
    const start = arena.used
    stakerBody.append(arena, staker)
    bodies.pushFrom(start)
    for (const owner of [staker.validationOwner, staker.delegationOwner]) {
      for (const address of owner?.addresses ?? [])
        owners.push(ledger.addresses.placeOf(address, 0))
    }
    owners.end()
  }
  return {
    ...stakerTable.taken(columns),
    arena: arena.bytes,
    body: bodies.taken(),
    owners: owners.taken(),
  }
}
