/** Slots in which nodes were due to propose blocks: of a node, and by day. */

import { type Reader, statement } from '../../engine/database.ts'
import {
  chainNumbers,
  chainOfNumber,
  firstPosOf,
  type PrimaryChain,
} from '../../schema/primary/position.ts'
import { slotOutcomes, wholeNetwork } from '../../schema/primary/proposing.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import { integer, integerValue, type RowOf, storedRow, worded } from '../stored-row.ts'
import { mergeLists } from './merged-lists.ts'

/** A slot before that of block `id`; of the block's own proposer it is {@link ownSlot}. */
export type SlotPlace = { readonly id: number; readonly slot: number }

/** Place of a block in the list of its proposer: after all slots before it. */
export const ownSlot = Number.MAX_SAFE_INTEGER

/** A slot with what came of it. */
type StoredSlot = SlotPlace & {
  readonly outcome: 'proposed' | (typeof slotOutcomes)[number]
}

const missed = slotOutcomes.indexOf('missed')

const passed = statement(
  `select id, slot from passed_slot where node = ? and outcome = ? and id >= ? and (id, slot) < (?, ?)
   order by id desc, slot desc limit ?`,
)
const proposed = statement(
  `select id from primary_block where proposer = ? and id >= ? and id < ? order by id desc limit ?`,
)

/** A page of the slots of a node (its number) among blocks of ids `from` to `until`, exclusive. */
type SlotQuery = {
  readonly node: number
  readonly from: number
  readonly until: number
  readonly outcomes: readonly StoredSlot['outcome'][]
  readonly after: SlotPlace | undefined
  readonly limit: number
}

/**
 * Slots of a node, newest first, strictly after a place. Cost: a range of `passed_slot_by_node` for each outcome, and
 * one of `primary_block_by_proposer`.
 */
export function slotsOfNode(reader: Reader, query: SlotQuery): Promise<StoredSlot[]> {
  const { node, from, until, outcomes } = query
  return mergeLists<StoredSlot['outcome'], StoredSlot>({
    lists: outcomes,
    limit: query.limit,
    compare: (a, b) => b.id - a.id || b.slot - a.slot,
    accepts: () => true,
    read: async (outcome, after = query.after, limit) => {
      if (outcome === 'proposed') {
        const rows = await reader.all(proposed, [node, from, after?.id ?? until, limit])
        return rows.map(([id]) => ({ id, slot: ownSlot, outcome }))
      }
      const before = after === undefined ? [until, 0] : [after.id, after.slot]
      const kind = slotOutcomes.indexOf(outcome)
      const rows = await reader.all(passed, [node, kind, from, ...before, limit])
      return rows.map(([id, slot]) => ({ id, slot, outcome }))
    },
  })
}

const missedBlocks = statement(
  `select distinct p.id from node n join passed_slot p on p.node = n.id
   where n.bytes = ? and p.outcome = ? and p.id >= ? and p.id < ? order by p.id limit ?`,
)

/**
 * First places of blocks before which a node missed a slot, oldest first. One range of `passed_slot_by_node`.
 */
export async function missedPlaces(
  reader: Reader,
  nodeId: Uint8Array,
  { from, until }: { readonly from: number; readonly until: number },
  limit: number,
): Promise<number[]> {
  const ids = [Math.ceil(from / placesPerBlock), Math.ceil(until / placesPerBlock)]
  const rows = await reader.all(missedBlocks, [nodeId, missed, ...ids, limit])
  return rows.map(([id]) => firstPosOf(id))
}

const missedBefore = statement(
  `select p.slot from node n join passed_slot p on p.node = n.id
   where n.bytes = ? and p.outcome = ? and p.id = ? order by p.slot`,
)

/** Slots before block `id` that a node missed, oldest first. One range of `passed_slot_by_node`. */
export async function missedSlotsBefore(
  reader: Reader,
  nodeId: Uint8Array,
  id: number,
): Promise<StoredSlot[]> {
  const rows = await reader.all(missedBefore, [nodeId, missed, id])
  return rows.map(([slot]) => ({ id, slot, outcome: 'missed' }))
}

const times = worded(
  ({ list, number }) => `select ${number}, coalesce(b.proposer_time, p.proposer_time)
   from ${list} cross join primary_block b left join primary_block p on p.id = b.id - 1
   where b.id = ${number}`,
  { over: 'tables' },
)

/**
 * Unix seconds of outer blocks, by block; an option stands for its parent. Those of others are left out. Two seeks
 * each.
 */
export async function outerTimes(
  reader: Reader,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await reader.all(times, [JSON.stringify(ids)])
  return new Map(
    rows.flatMap(([id, time]) => (time === null ? [] : [[integerValue(id), integerValue(time)]])),
  )
}

const dayRow = storedRow({
  /** First second, Unix time. */
  day: integer('day'),
  proposed: integer('proposed'),
  idle: integer('idle'),
  missed: integer('missed'),
  unclear: integer('unclear'),
  unknown: integer('unknown'),
  disagreed: integer('disagreed'),
})
/** Counts of a day. */
export type StoredSlotDay = RowOf<typeof dayRow>

const days = dayRow.statement(
  (columns) => `select ${columns} from proposer_day where node = ? and chain = ? order by day`,
)

/**
 * Days of a node (its number) on a chain, or of all nodes, oldest first. One range of the key: a row
 * for each day of the network at most.
 */
export function slotDays(
  reader: Reader,
  chain: PrimaryChain,
  node: number = wholeNetwork,
): Promise<StoredSlotDay[]> {
  return dayRow.all(reader, days, [node, chainNumbers[chain]])
}

const disagreed = statement(
  'select chain, sum(disagreed) from proposer_day where node = ? group by chain',
)

/** Blocks of each chain that another node proposed than was due. One range of the key: a row for each day. */
export async function disagreedBlocks(reader: Reader): Promise<ReadonlyMap<PrimaryChain, number>> {
  const rows = await reader.all(disagreed, [wholeNetwork])
  return new Map(rows.map(([chain, count]) => [chainOfNumber(chain), Number(count)]))
}
