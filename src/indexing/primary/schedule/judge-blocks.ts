/** Blocks of a chain in order, each compared with the schedule, and the sums of what was found by day. */

import { chainSource, slotSeconds } from '../../../codec/proposer/windower.ts'
import { pTypes, proposalTypes } from '../../../core/type-ids.ts'
import type { Reader } from '../../../store/engine/database.ts'
import {
  firstOuterBlocks,
  lastOuterBlocks,
  type OuterBlockRow,
} from '../../../store/query/primary/scheduled-blocks.ts'
import { stakersByTx } from '../../../store/query/primary/stakers.ts'
import { transactionsAt } from '../../../store/query/primary/transactions.ts'
import {
  blockIdOf,
  chainNumbers,
  heightOfBlock,
  posOf,
  type PrimaryChain,
} from '../../../store/schema/primary/position.ts'
import { type SlotOutcome, wholeNetwork } from '../../../store/schema/primary/proposing.ts'
import { judge, type PassedSlot } from './judge.ts'
import type { ProposerSets } from './proposer-sets.ts'

/** The blocks to judge: after height `after`, up to and with `last`. */
export type BlocksToJudge = {
  readonly chain: PrimaryChain
  readonly chainId: Uint8Array
  readonly after: number
  readonly last: number
  /** Last height of the P-Chain that is indexed: blocks that need a later set wait. */
  readonly pChainHeight: number
  /** Unix seconds. */
  readonly durango: number
  readonly sets: ProposerSets
}

/** Counts of a node on a day, or of the whole network. */
export type DayCounts = {
  readonly node: number
  /** First second, Unix time. */
  readonly day: number
  readonly counts: Record<'proposed' | SlotOutcome | 'unknown' | 'disagreed', number>
}

/** All that was found. */
export type JudgedBlocks = {
  /** Last height that was judged. */
  readonly height: number
  readonly passed: readonly (PassedSlot & { readonly id: number })[]
  readonly days: readonly DayCounts[]
}

// What one transaction holds: some 10 ms where slots pass now and then.
const blocksAtOnce = 2_048
const slotsAtOnce = 8_192

/** The time for which transactions are counted, and blocks at most: those of a quarter second each. */
const busySeconds = 60
const busyBlocks = 256
/** With so many in that time, one surely waits in each slot: exp(-5 s × 83 / 60 s) is 0.001. */
const busyTransactions = Math.ceil((busySeconds * Math.log(1_000)) / slotSeconds)

const daySeconds = 86_400

/** Outer parent of the next block: an option stands for its own parent. */
type Parent = { readonly time: number; readonly pChainHeight: number }

/** Judges blocks in order, as many as one transaction holds. */
export async function judgeBlocks(reader: Reader, blocks: BlocksToJudge): Promise<JudgedBlocks> {
  const { chain, after, last } = blocks
  const idOf = (height: number): number => blockIdOf(chainNumbers[chain], height)
  const next = idOf(after + 1)
  const window = await lastOuterBlocks(reader, { from: idOf(0), until: next, limit: busyBlocks })
  let parent: Parent | undefined
  for (const [at, row] of window.entries()) parent = parentAfter(window[at - 1], row, parent)
  const rows = await firstOuterBlocks(reader, {
    from: next,
    until: idOf(last) + 1,
    limit: blocksAtOnce,
  })
  const passed: (PassedSlot & { readonly id: number })[] = []
  const days = new DaySums()
  let height = rows.length < blocksAtOnce ? last : heightOfBlock(rows.at(-1)?.id ?? next)
  let before = window.at(-1)
  for (const row of rows) {
    if (before !== undefined && before.id !== row.id - 1) parent = undefined
    if (passed.length >= slotsAtOnce || (parent?.pChainHeight ?? 0) > blocks.pChainHeight) {
      height = heightOfBlock(row.id) - 1
      break
    }
    const isOption = row.isKnown && row.time === undefined
    if (!isOption) passed.push(...(await judgeRow(reader, { blocks, row, parent, window, days })))
    parent = parentAfter(before, row, parent)
    before = row
    window.push(row)
    if (window.length > busyBlocks) window.shift()
  }
  return { height, passed, days: days.all() }
}

/** The outer parent of the block after this one; `undefined` where it is not known. */
function parentAfter(
  before: OuterBlockRow | undefined,
  { id, isKnown, time, pChainHeight }: OuterBlockRow,
  parent: Parent | undefined,
): Parent | undefined {
  if (!isKnown) return undefined
  if (time !== undefined && pChainHeight !== undefined) return { time, pChainHeight }
  return before?.id === id - 1 ? parent : undefined
}

type RowToJudge = {
  readonly blocks: BlocksToJudge
  readonly row: OuterBlockRow
  readonly parent: Parent | undefined
  readonly window: readonly OuterBlockRow[]
  readonly days: DaySums
}

/** Slots that passed before a block, which is no option. */
async function judgeRow(
  reader: Reader,
  { blocks, row, parent, window, days }: RowToJudge,
): Promise<(PassedSlot & { readonly id: number })[]> {
  const { id, proposer, time = row.timestamp } = row
  const day = time - (time % daySeconds)
  if (proposer !== undefined) {
    days.add(proposer, day, 'proposed')
    days.add(wholeNetwork, day, 'proposed')
  }
  // Nobody signs on a network without staking, where nobody is due.
  const isNobodys = proposer === undefined && (parent?.time ?? 0) >= blocks.durango
  if (parent === undefined || !row.isKnown || isNobodys) {
    days.add(wholeNetwork, day, 'unknown')
    return []
  }
  // Consensus has proven the proposer of the first slot.
  if (time - parent.time < slotSeconds) return []
  const found = judge(
    {
      source: chainSource(blocks.chainId),
      height: heightOfBlock(id),
      time,
      proposer,
      parentTime: parent.time,
      tree: await blocks.sets.at(reader, parent.pChainHeight),
      wantedSince: isBusy(window, parent.time)
        ? parent.time
        : await rewardDue(reader, blocks.chain, row),
    },
    blocks.durango,
  )
  if (found === undefined) days.add(wholeNetwork, day, 'disagreed')
  return (found ?? []).map((slot) => {
    days.add(slot.node, day, slot.outcome)
    days.add(wholeNetwork, day, slot.outcome)
    return { ...slot, id }
  })
}

/** Returns whether transactions came so often before a block's parent that one waits in each slot. */
function isBusy(window: readonly OuterBlockRow[], parentTime: number): boolean {
  let count = 0
  for (const { txCount, time } of window)
    if (time !== undefined && time > parentTime - busySeconds) count += txCount
  return count >= busyTransactions
}

const proposals: ReadonlySet<number> = new Set(proposalTypes)

/** When the stake ended that a P-Chain block proposes to reward: it is wanted from then on. */
async function rewardDue(
  reader: Reader,
  chain: PrimaryChain,
  { id, type }: OuterBlockRow,
): Promise<number | undefined> {
  if (chain !== 'P' || !proposals.has(type)) return undefined
  const height = heightOfBlock(id)
  const transactions = await transactionsAt(
    reader,
    [0, 1].map((at) => posOf(0, height, at)),
  )
  const reward = transactions.find(({ type: kind }) => kind === pTypes.RewardValidatorTx)
  const { stakingTxId } = reward?.body ?? {}
  if (stakingTxId === undefined) return undefined
  const [staker] = await stakersByTx(reader, [stakingTxId])
  return staker?.endTime
}

/** Counts by node and day. */
class DaySums {
  readonly #days = new Map<string, DayCounts>()

  add(node: number, day: number, what: keyof DayCounts['counts']): void {
    const key = `${node} ${day}`
    let sum = this.#days.get(key)
    if (sum === undefined) {
      const counts = { proposed: 0, idle: 0, missed: 0, unclear: 0, unknown: 0, disagreed: 0 }
      sum = { node, day, counts }
      this.#days.set(key, sum)
    }
    sum.counts[what]++
  }

  all(): DayCounts[] {
    return [...this.#days.values()]
  }
}
