/**
 * Finds out who was due to propose the blocks that are stored, and what slots passed.
 *
 * It follows the three chains by itself, as blocks of the X- and the C-Chain depend on sets of the P-Chain that may be
 * indexed later. Its rows and its own checkpoints move in one transaction. A store that was
 * rebuilt, or was filled before, is judged from its first block on.
 */

import { emptyId } from '../../../codec/primary/ids.ts'
import { checkpointHeights, moveCheckpoint } from '../../../store/checkpoint.ts'
import { type Reader, statement, type Writer } from '../../../store/engine/database.ts'
import { slotLedgers } from '../../../store/query/events/watch.ts'
import {
  blockIdOf,
  chainNumbers,
  heightOfBlock,
  type PrimaryChain,
} from '../../../store/schema/primary/position.ts'
import { passedSlot, proposerDay, slotOutcomes } from '../../../store/schema/primary/proposing.ts'
import type { PrimaryRules } from '../batch/rules.ts'
import type { Commit } from '../write/batch-rows.ts'
import type { PrimaryOutbox } from '../write/primary-outbox.ts'
import { type BlocksToJudge, type JudgedBlocks, judgeBlocks } from './judge-blocks.ts'
import { ProposerSets } from './proposer-sets.ts'

const chains = ['P', 'X', 'C'] as const

/** Blocks of a chain above a height. */
type TakenBlocks = { readonly chain: PrimaryChain; readonly height: number }

/** The network, and what is told of slots that were stored. */
type ScheduleOptions = {
  readonly rules: PrimaryRules
  readonly chainIds: Readonly<Record<'X' | 'C', Uint8Array>>
  /** Tells webhooks of heights just judged, in their transaction. */
  readonly outbox?: PrimaryOutbox['slots'] | undefined
}

/** The schedule of a network whose blocks and stakers are stored. */
export class Schedule {
  readonly #options: ScheduleOptions
  #sets = newSets()

  constructor(options: ScheduleOptions) {
    this.#options = options
  }

  /** Judges some blocks of each chain, a transaction each; returns whether there are more. */
  async judgeMore(reader: Reader, commit: Commit): Promise<boolean> {
    let isMore = false
    for (const chain of chains) {
      const { judged, stored } = await heightsOf(reader, chain)
      if (judged >= stored) continue
      if (await commit((writer, epoch) => this.#judgeSome(writer, epoch, chain))) isMore = true
    }
    return isMore
  }

  /** Takes back what followed from blocks of a chain above a height, while they are still stored. */
  async takeBack(writer: Writer, epoch: number, taken: TakenBlocks): Promise<void> {
    for (const chain of chains) {
      const { judged: last } = await heightsOf(writer, chain)
      const from = await lastUntouched(writer, { chain, last, taken })
      for (let after = from; after < last;) {
        // What is found again is what was stored.
        const found = await this.#judge(writer, chain, { after, last })
        await writer.remove(passedSlot, keysOf(found))
        await addDays(writer, chain, found, -1)
        after = found.height
      }
      await moveJudged(writer, epoch, { chain, to: from })
    }
    // Sets of heights that are judged again may be others.
    this.forget()
  }

  /** Another process has written, or blocks were taken back: sets are read again. */
  forget(): void {
    this.#sets = newSets()
  }

  async #judgeSome(writer: Writer, epoch: number, chain: PrimaryChain): Promise<boolean> {
    const { judged: after, stored: last } = await heightsOf(writer, chain)
    if (after >= last) return false
    const found = await this.#judge(writer, chain, { after, last })
    const { height } = found
    if (height === after) return false
    await insertSlots(writer, found)
    await addDays(writer, chain, found, 1)
    await moveJudged(writer, epoch, { chain, to: height })
    await this.#options.outbox?.(writer, chain, { from: after + 1, until: height + 1 })
    return height < last
  }

  async #judge(
    writer: Writer,
    chain: PrimaryChain,
    heights: Pick<BlocksToJudge, 'after' | 'last'>,
  ): Promise<JudgedBlocks> {
    const { chainIds, rules } = this.#options
    return judgeBlocks(writer, {
      ...heights,
      chain,
      chainId: chain === 'P' ? emptyId : chainIds[chain],
      pChainHeight: (await heightsOf(writer, 'P')).stored,
      durango: rules.upgrades.durango,
      sets: this.#sets[chain],
    })
  }
}

function newSets(): Readonly<Record<PrimaryChain, ProposerSets>> {
  return { P: new ProposerSets(), X: new ProposerSets(), C: new ProposerSets() }
}

type Heights = { readonly stored: number; readonly judged: number }

async function heightsOf(reader: Reader, chain: PrimaryChain): Promise<Heights> {
  const heights = await checkpointHeights(reader)
  return { stored: heights.get(chain) ?? -1, judged: heights.get(slotLedgers[chain]) ?? -1 }
}

const lastWithin = statement(
  `select id from primary_block where id >= ? and id <= ? and proposer_height <= ?
   order by id desc limit 1`,
)

/**
 * Last height, up to `last`, of which nothing follows from blocks that are taken: those of the same chain, and of the
 * P-Chain also sets of validators.
 */
async function lastUntouched(
  reader: Reader,
  {
    chain,
    last,
    taken,
  }: Pick<TakenBlocks, 'chain'> & {
    readonly last: number
    readonly taken: TakenBlocks
  },
): Promise<number> {
  if (chain === taken.chain) return Math.min(last, taken.height)
  if (taken.chain !== 'P' || last < 0) return last
  const [first, newest] = [0, last].map((height) => blockIdOf(chainNumbers[chain], height))
  const row = await reader.get(lastWithin, [first ?? 0, newest ?? 0, taken.height])
  return row === undefined ? -1 : heightOfBlock(row[0])
}

async function moveJudged(
  writer: Writer,
  epoch: number,
  { chain, to }: { readonly chain: PrimaryChain; readonly to: number },
): Promise<void> {
  const before = (await checkpointHeights(writer)).get(slotLedgers[chain])
  if ((before ?? -1) === to) return
  await moveCheckpoint(writer, slotLedgers[chain], {
    before,
    after: { height: to, hash: undefined },
    epoch,
  })
}

function keysOf({ passed }: JudgedBlocks): { readonly id: number[]; readonly slot: number[] } {
  return { id: passed.map(({ id }) => id), slot: passed.map(({ slot }) => slot) }
}

async function insertSlots(writer: Writer, found: JudgedBlocks): Promise<void> {
  const { passed } = found
  await writer.insert(passedSlot, {
    ...keysOf(found),
    node: passed.map(({ node }) => node),
    outcome: passed.map(({ outcome }) => slotOutcomes.indexOf(outcome)),
  })
}

const counted = ['proposed', ...slotOutcomes, 'unknown', 'disagreed'] as const

/** Adds counts to those of their days, or takes them off. */
async function addDays(
  writer: Writer,
  chain: PrimaryChain,
  { days }: JudgedBlocks,
  sign: 1 | -1,
): Promise<void> {
  const key = {
    node: days.map(({ node }) => node),
    chain: days.map(() => chainNumbers[chain]),
    day: days.map(({ day }) => day),
  }
  const known = await writer.lookup(
    { table: proposerDay, key: ['node', 'chain', 'day'], select: counted },
    [key.node, key.chain, key.day],
  )
  const sums = (name: (typeof counted)[number]): number[] => {
    const column = counted.indexOf(name)
    return days.map(({ counts }, row) => (known[row]?.[column] ?? 0) + sign * counts[name])
  }
  await writer.upsert(proposerDay, {
    ...key,
    proposed: sums('proposed'),
    idle: sums('idle'),
    missed: sums('missed'),
    unclear: sums('unclear'),
    unknown: sums('unknown'),
    disagreed: sums('disagreed'),
  })
}
