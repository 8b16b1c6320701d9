/** Tables of who was due to propose the blocks of the P-, X- and C-Chain. */

import { blocksPerSum, secondsPerSum } from '../sums.ts'
import { sumsBy, table } from '../table.ts'

/**
 * Slots that passed before that of a block, `id`: `node` was due and got no block accepted. Before Durango
 * `slot` is the place of its window. `outcome` is of {@link slotOutcomes}.
 */
export const passedSlot = table(
  'passed_slot',
  { id: 'integer', slot: 'integer', node: 'integer', outcome: 'integer' },
  {
    key: ['id', 'slot'],
    layout: 'keyed',
    sums: sumsBy('id', blocksPerSum),
    indexes: [{ name: 'passed_slot_by_node', columns: ['node', 'outcome', 'id', 'slot'] }],
  },
)

/**
 * Slots of a chain (its number) by the day of the block that ended them: those of a node, and under
 * {@link wholeNetwork} those of all. `day` is its first second.
 *
 * Only of the whole network: `unknown` counts blocks without a known outer block or parent, `disagreed` those
 * whose proposer was not due by this schedule.
 */
export const proposerDay = table(
  'proposer_day',
  {
    node: 'integer',
    chain: 'integer',
    day: 'integer',
    proposed: 'integer',
    idle: 'integer',
    missed: 'integer',
    unclear: 'integer',
    unknown: 'integer',
    disagreed: 'integer',
  },
  { key: ['node', 'chain', 'day'], layout: 'keyed', sums: sumsBy('day', secondsPerSum) },
)

/** Number that no node has. */
export const wholeNetwork = 0

/** Outcomes of a passed slot, by index. */
export const slotOutcomes = ['idle', 'missed', 'unclear'] as const
/** One of {@link slotOutcomes}. */
export type SlotOutcome = (typeof slotOutcomes)[number]
