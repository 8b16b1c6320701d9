/**
 * Compares a block with the schedule: who was due before it came, and who got no block accepted.
 *
 * A passed slot alone says little: without transactions no block is due. Whether it was missed is judged by what the
 * chain itself shows, and left open where it shows nothing.
 */

import {
  type ProposerTree,
  proposerOfSlot,
  proposersBeforeDurango,
  slotSeconds,
  type Weighted,
  windowsBeforeDurango,
} from '../../../codec/proposer/windower.ts'
import type { SlotOutcome } from '../../../store/schema/primary/proposing.ts'

/** A validator of the primary network. */
export type Member = Weighted & {
  /** Number of the node. */
  readonly node: number
}

/** A block, and all that its schedule depends on. Times are Unix seconds of outer blocks. */
export type ScheduledBlock = {
  readonly source: bigint
  readonly height: number
  readonly time: number
  /** Number of the node that signed it. */
  readonly proposer: number | undefined
  readonly parentTime: number
  /** Validators after the P-Chain height of the parent. */
  readonly tree: ProposerTree<Member>
  /** From when a block was wanted for sure; absent where nothing shows it. */
  readonly wantedSince: number | undefined
}

/** A slot that passed before that of a block. */
export type PassedSlot = {
  readonly slot: number
  readonly node: number
  readonly outcome: SlotOutcome
}

/**
 * Slots looked at before that of a block, an hour: no node looks further ahead for its own turn. Slots before these
 * are not counted. Source: avalanchego vms/proposervm/proposer, MaxLookAheadSlots.
 */
const mostSlots = 720

/**
 * A block that came so long after its slot began ended an idle time: who has a transaction that waits proposes
 * at the beginning.
 */
const idleAfterSeconds = 2

/**
 * A slot that so many others passed after was idle: chains accept blocks only while less than a fifth of the stake
 * is away, and 0.2^5 is below a thousandth.
 */
const idleBeforeSlots = 5

/** Compares a block with the schedule; `undefined` where its proposer was not due. */
export function judge(block: ScheduledBlock, durango: number): PassedSlot[] | undefined {
  return block.parentTime >= durango ? sinceDurango(block) : beforeDurango(block)
}

function sinceDurango(block: ScheduledBlock): PassedSlot[] | undefined {
  const { tree, time, parentTime, wantedSince = Infinity } = block
  const own = Math.floor((time - parentTime) / slotSeconds)
  if (proposerOfSlot(tree, block, own)?.node !== block.proposer) return undefined
  const isLate = (time - parentTime) % slotSeconds >= idleAfterSeconds
  const passed: PassedSlot[] = []
  for (let slot = Math.max(0, own - mostSlots); slot < own; slot++) {
    const node = proposerOfSlot(tree, block, slot)?.node
    if (node === undefined) continue
    const isIdle = isLate || own - slot > idleBeforeSlots
    const isWanted = parentTime + slot * slotSeconds >= wantedSince
    passed.push({ slot, node, outcome: isIdle ? 'idle' : isWanted ? 'missed' : 'unclear' })
  }
  return passed
}

/**
 * Windows stay open, so that several proposers race: only those before the proposer's own are passed, and missed only
 * where the block came as soon as its own opened.
 */
function beforeDurango(block: ScheduledBlock): PassedSlot[] | undefined {
  const { tree, time, parentTime, proposer, wantedSince = Infinity } = block
  const list = proposersBeforeDurango(tree, block).map(({ node }) => node)
  const delay = time - parentTime
  const isAnybodys = delay >= windowsBeforeDurango * slotSeconds
  const place = proposer === undefined ? -1 : list.indexOf(proposer)
  const isDue = isAnybodys ? proposer === undefined : place >= 0 && place * slotSeconds <= delay
  if (!isDue) return undefined
  const isPrompt = !isAnybodys && delay - place * slotSeconds < idleAfterSeconds
  return (isAnybodys ? list : list.slice(0, place)).flatMap((node, slot) => {
    // The first place of a node counts.
    if (list.indexOf(node) < slot) return []
    const isMissed = isPrompt && parentTime + slot * slotSeconds >= wantedSince
    return [{ slot, node, outcome: isMissed ? 'missed' : 'unclear' }]
  })
}
