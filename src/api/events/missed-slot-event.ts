/** Events of slots in which a node was due to propose, a block was wanted, and none of it was accepted. */

import { toNodeId } from '../../core/cb58.ts'
import { watchOf, type Webhook } from '../../store/query/events/webhooks.ts'
import { blockById } from '../../store/query/primary/blocks.ts'
import { missedSlotsBefore } from '../../store/query/primary/proposer-slots.ts'
import { blockOfPos, heightOfBlock } from '../../store/schema/primary/position.ts'
import { chainNameOf, type ChainOf } from '../primary/inputs.ts'
import { slotViews } from '../primary/validators/proposer-slots.ts'

/** Slots that a webhook's node missed before the block at `pos`, oldest first. */
export async function missedSlotEvents(
  of: ChainOf,
  webhook: Webhook,
  pos: number,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { watched } = watchOf(webhook)
  if (watched.kind === 'addresses') return []
  const id = blockOfPos(pos)
  const block = await blockById(of.store, id)
  const missed = await missedSlotsBefore(of.store, watched.key, id)
  const slots = await slotViews(of.store, missed)
  return slots.map(({ slot, timestamp }) => ({
    eventType: 'slot_missed',
    network: of.network,
    chainId: chainNameOf[of.chain],
    blockNumber: String(heightOfBlock(id)),
    blockTimestamp: block?.proposerTime,
    keys: [toNodeId(watched.key)],
    nodeId: toNodeId(watched.key),
    slot,
    slotTimestamp: timestamp,
    proposerNodeId: block?.proposer && toNodeId(block.proposer),
  }))
}
