/** Slots in which nodes were due to propose. */

import { Type, type Static, Optional } from '../type.ts'
import { seconds } from './scalars.ts'

/** Outcomes of a slot. */
export const slotOutcomes = ['proposed', 'idle', 'missed', 'unclear'] as const

/** A slot in which a node was due. */
export const ProposerSlot = Type.Component('ProposerSlot', 'A slot in which a node was due', {
  outcome: Type.Enum(
    slotOutcomes,
    '`proposed`: its block was accepted; else the slot passed: `idle` where no block was wanted, `missed` where one surely was, `unclear` where nothing shows it',
  ),
  blockNumber: Type.String('Height of the block that it proposed, or that was accepted later'),
  slot: Optional.Integer(
    'Number of the slot from 0, of a slot that passed; before Durango the place of its window',
  ),
  timestamp: Type.Integer('Unix seconds: of its block, or at which the slot began'),
})
/** Decoded {@link ProposerSlot}. */
export type ProposerSlot = Static<typeof ProposerSlot>

const counts = {
  due: Type.Integer('Slots in which it was due: those proposed and passed'),
  proposed: Type.Integer('Blocks that it proposed and that were accepted'),
  passed: Type.Integer('Slots that passed before that of a block: those idle, missed and unclear'),
  idle: Type.Integer('Passed slots in which no block was wanted'),
  missed: Type.Integer('Passed slots in which a block surely was wanted'),
  unclear: Type.Integer('Passed slots of which nothing shows whether a block was wanted'),
}

/** Counts of slots of a node. */
export const SlotCounts = Type.Component('SlotCounts', 'Counts of slots', counts)
/** Decoded {@link SlotCounts}. */
export type SlotCounts = Static<typeof SlotCounts>

/** Counts of slots of all nodes. */
export const NetworkSlotCounts = Type.Component(
  'NetworkSlotCounts',
  'Counts of slots of all nodes',
  {
    ...counts,
    unknown: Type.Integer('Blocks whose slots are not known, as an outer block is missing'),
    disagreed: Type.Integer('Blocks that another node proposed than was due by this schedule'),
  },
)

/** Counts of a day. */
export const SlotDay = Type.Component('SlotDay', 'Slots of a day, by the times of their blocks', {
  timestamp: seconds,
  ...counts,
  network: NetworkSlotCounts,
})
