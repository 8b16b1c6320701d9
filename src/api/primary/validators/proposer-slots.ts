/** Slots in which a node was due to propose: a list, and counts by day. */

import { struct } from '../../../codec/kit.ts'
import { f64 } from '../../../codec/primitives.ts'
import { slotSeconds } from '../../../codec/proposer/windower.ts'
import { assert } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import { Proposers } from '../../../shape/operations/proposers.ts'
import {
  type ProposerSlot,
  type SlotCounts,
  slotOutcomes,
} from '../../../shape/primary/proposer-slot.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { slotLedgers } from '../../../store/query/events/watch.ts'
import { numberOfNode } from '../../../store/query/primary/addresses.ts'
import { placesBetween } from '../../../store/query/primary/network.ts'
import {
  outerTimes,
  ownSlot,
  slotDays,
  type SlotPlace,
  slotsOfNode,
  type StoredSlotDay,
} from '../../../store/query/primary/proposer-slots.ts'
import { blockOfPos, heightOfBlock } from '../../../store/schema/primary/position.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { cursorOf, nextToken, numberedPage, readPage } from '../../operation/paging.ts'
import { chainInfo, chainOf, indexedTo, nodeIdIn } from '../inputs.ts'
import type { PrimaryContext } from '../network/networks.ts'

/** Number that no node has, where one was never seen. */
const noNode = -1

/** Slots of a node on a chain, newest first. */
export function listProposerSlots(context: PrimaryContext): Operation<'listProposerSlots'> {
  return operation(Proposers.listProposerSlots, async ({ path, query }) => {
    const chain = chainOf(context.networks, path)
    const { store } = chain
    const height = await indexedTo(store, slotLedgers[chain.chain])
    const nodeId = nodeIdIn('nodeId', path.nodeId)
    const node = (await numberOfNode(store, nodeId)) ?? noNode
    const { outcome, startTimestamp, endTimestamp } = query
    const places = await placesBetween(store, chain.chain, startTimestamp, endTimestamp)
    const page = await readPage(context.tokens, {
      route: Proposers.listProposerSlots.id,
      subject: { ...path, network: chain.network, chain: chain.chain },
      query,
      ...placeCursor,
      rows: (after, limit) =>
        slotsOfNode(store, {
          node,
          from: blockOfPos(places.from),
          until: blockOfPos(places.until),
          outcomes: outcome === undefined ? slotOutcomes : [outcome],
          after,
          limit,
        }),
      cursorOf: (row): SlotPlace => row,
    })
    const slots = await slotViews(store, page.rows)
    return { body: { ...nextToken(page), slots, chainInfo: chainInfo(chain) }, ...height }
  })
}

const placeCursor = cursorOf<SlotPlace>(struct({ id: f64, slot: f64 }))

/** Slots as answers show them. */
export async function slotViews(
  store: Reader,
  rows: readonly (SlotPlace & Pick<ProposerSlot, 'outcome'>)[],
): Promise<ProposerSlot[]> {
  // A passed slot is counted from the parent's time.
  const timed = rows.map(({ id, slot }) => (slot === ownSlot ? id : id - 1))
  const times = await outerTimes(store, timed)
  return rows.map(({ id, slot, outcome }, at) => {
    const isOwn = slot === ownSlot
    const time = times.get(itemAt(timed, at))
    assert(time !== undefined, 'a block with a slot has a known parent')
    return {
      outcome,
      blockNumber: String(heightOfBlock(id)),
      slot: isOwn ? undefined : slot,
      timestamp: isOwn ? time : time + slot * slotSeconds,
    }
  })
}

/** Counts of a node by day, and of the network on the same days. */
export function listProposerDays(context: PrimaryContext): Operation<'listProposerDays'> {
  return operation(Proposers.listProposerDays, async ({ path, query }) => {
    const chain = chainOf(context.networks, path)
    const { store } = chain
    const height = await indexedTo(store, slotLedgers[chain.chain])
    const nodeId = nodeIdIn('nodeId', path.nodeId)
    const node = (await numberOfNode(store, nodeId)) ?? noNode
    const { startTimestamp = -1, endTimestamp = Infinity } = query
    const isWanted = ({ day }: StoredSlotDay): boolean => day > startTimestamp && day < endTimestamp
    const own = (await slotDays(store, chain.chain, node)).filter(isWanted)
    const network = new Map((await slotDays(store, chain.chain)).map((one) => [one.day, one]))
    const beside = own.map(({ day }) => network.get(day) ?? { ...noCounts, day })
    const days = own.map((one, at) => ({
      timestamp: one.day,
      ...countsOf([one]),
      network: networkCounts(beside.slice(at, at + 1)),
    }))
    const newestFirst = days.toReversed()
    const page = await numberedPage(context.tokens, {
      route: Proposers.listProposerDays.id,
      subject: { ...path, network: chain.network, chain: chain.chain },
      query,
      usualSize: usualDays,
      rows: (before, limit) =>
        newestFirst.filter(({ timestamp }) => timestamp < (before ?? Infinity)).slice(0, limit),
      numberOf: ({ timestamp }) => timestamp,
    })
    return {
      body: {
        ...nextToken(page),
        days: [...page.rows],
        total: countsOf(own),
        networkTotal: networkCounts(beside),
        chainInfo: chainInfo(chain),
      },
      ...height,
    }
  })
}

const usualDays = 100

type Counts = Omit<StoredSlotDay, 'day'>
const noCounts: Counts = { proposed: 0, idle: 0, missed: 0, unclear: 0, unknown: 0, disagreed: 0 }

function sumOf(days: readonly Counts[], name: keyof Counts): number {
  return days.reduce((sum, day) => sum + day[name], 0)
}

function countsOf(days: readonly Counts[]): SlotCounts {
  const [proposed, idle] = [sumOf(days, 'proposed'), sumOf(days, 'idle')]
  const [missed, unclear] = [sumOf(days, 'missed'), sumOf(days, 'unclear')]
  const passed = idle + missed + unclear
  return { due: proposed + passed, proposed, passed, idle, missed, unclear }
}

function networkCounts(
  days: readonly Counts[],
): SlotCounts & Record<'unknown' | 'disagreed', number> {
  return {
    ...countsOf(days),
    unknown: sumOf(days, 'unknown'),
    disagreed: sumOf(days, 'disagreed'),
  }
}
